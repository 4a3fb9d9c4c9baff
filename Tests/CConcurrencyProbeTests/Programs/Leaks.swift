// A program that leaks tasks in twelve ways at once, or its healthy twin, which makes as many tasks in the same twelve ways.
//
//   leaks leaking|healthy COUNT
//
// Each way makes COUNT tasks, one a millisecond, at the line with its name in a comment. At the end the leaked tasks still live.

import Dispatch
import Synchronization
import TaskRuntime

/// Elements that any thread may add and take.
final class Kept<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func add(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    func takeAll() -> [Element] {
        elements.withLock { all in
            defer { all = [] }
            return all
        }
    }
}

/// A number that any thread may increase.
final class Count: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}

/// Continuations that wait to be resumed.
final class Parked: Sendable {
    private let waiting = Kept<CheckedContinuation<Void, Never>>()

    func park() async {
        await withCheckedContinuation { continuation in waiting.add(continuation) }
    }

    func resumeAll() {
        for continuation in waiting.takeAll() { continuation.resume() }
    }
}

/// Streams that wait to be finished.
final class Streams: Sendable {
    private let sources = Kept<AsyncStream<Int>.Continuation>()

    func next() -> AsyncStream<Int> {
        let (stream, source) = AsyncStream<Int>.makeStream()
        sources.add(source)
        return stream
    }

    func finishAll() {
        for source in sources.takeAll() { source.finish() }
    }
}

/// Completion sources that wait to be set.
final class Sources: Sendable {
    private let sources = Kept<TaskCompletionSource<Int>>()

    func keep(_ source: TaskCompletionSource<Int>) {
        sources.add(source)
    }

    func setAll() {
        for source in sources.takeAll() { _ = source.trySet(1) }
    }
}

/// Runs jobs on a dispatch queue.
final class Turns: SerialExecutor {
    let queue = DispatchQueue(label: "turns")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// An actor that runs on a queue.
actor Desk {
    private let turns: Turns
    private var calls = 0

    init(_ turns: Turns) { self.turns = turns }

    nonisolated var unownedExecutor: UnownedSerialExecutor { turns.asUnownedSerialExecutor() }

    func call() { calls += 1 }
}

struct Way: Sendable {
    let isLeaking: Bool
    let count: Int
    /// Receives a value when a way has made its tasks.
    let made: AsyncStream<Void>.Continuation

    private var pause: Duration { isLeaking ? .seconds(3600) : .milliseconds(10) }

    /// Makes `count` tasks, one a millisecond. `tidy` ends what waits; only the healthy twin calls it.
    private func each(_ make: () async -> Void, tidy: () -> Void = {}) async {
        for number in 1...count {
            await make()
            try? await Task.sleep(for: .milliseconds(1))
            if !isLeaking, number.isMultiple(of: 10) || number == count { tidy() }
        }
        made.yield()
    }

    func streams() async {
        let streams = Streams()
        await each(
            {
                let stream = streams.next()
                Task { for await _ in stream {} }  // leak: stream
            }, tidy: streams.finishAll)
    }

    func continuations() async {
        let parked = Parked()
        await each(
            {
                Task { await parked.park() }  // leak: continuation
            }, tidy: parked.resumeAll)
    }

    func actors() async {
        let turns = Turns()
        if isLeaking { turns.queue.suspend() }
        let desk = Desk(turns)
        await each {
            Task { await desk.call() }  // leak: actor
        }
    }

    func sleeps() async {
        await each {
            Task { repeat { try? await Task.sleep(for: pause) } while isLeaking }  // leak: sleep loop
        }
    }

    /// In the healthy twin a task ends when 150 others have been made after it, so that as many live however fast the machine is.
    func polls() async {
        let made = Count()
        await each {
            let last = made.next() + 150
            Task.detached { repeat { try? await Task.sleep(for: .milliseconds(50)) } while isLeaking || made.value < last }  // leak: poll
        }
    }

    func groups() async {
        await withTaskGroup(of: Void.self) { group in
            await each {
                group.addTask { try? await Task.sleep(for: pause) }  // leak: group
            }
        }
    }

    func discardingGroups() async {
        let parked = Parked()
        await withDiscardingTaskGroup { group in
            await each(
                {
                    group.addTask { await parked.park() }  // leak: discarding group
                }, tidy: parked.resumeAll)
        }
    }

    func nestedGroups() async {
        let streams = Streams()
        await each(
            {
                let stream = streams.next()
                Task { await withTaskGroup(of: Void.self) { $0.addTask { for await _ in stream {} } } }  // leak: nested group
            }, tidy: streams.finishAll)
    }

    func values() async {
        let pause = pause
        let other = Task { repeat { try? await Task.sleep(for: pause) } while isLeaking }
        await each {
            Task.detached { await other.value }  // leak: value
        }
    }

    /// Sources stay with the program, because a released source ends its task.
    private static let kept = Sources()

    func sources() async {
        let sources = isLeaking ? Self.kept : Sources()
        await each(
            {
                let source = TaskCompletionSource<Int>()  // leak: source
                _ = source.task.continueOnSuccessWith { $0 + 1 }
                sources.keep(source)
            }, tidy: sources.setAll)
    }

    func flattened() async {
        let sources = isLeaking ? Self.kept : Sources()
        let unset = TaskCompletionSource<Int>()
        sources.keep(unset)
        await each(
            {
                let source = isLeaking ? unset : TaskCompletionSource<Int>()
                sources.keep(source)
                _ = ChainTask.flattening { source.task }  // leak: flattening
            }, tidy: sources.setAll)
    }

    func cancelled() async {
        let parked = Parked()
        await each(
            {
                let task = Task { await parked.park() }  // leak: deaf to cancellation
                task.cancel()
            }, tidy: parked.resumeAll)
    }
}

@main
struct Leaks {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[2]) else { return print("leaks leaking|healthy COUNT") }
        let (making, made) = AsyncStream<Void>.makeStream()
        let way = Way(isLeaking: arguments[1] == "leaking", count: count, made: made)
        let ways: [@Sendable () async -> Void] = [
            way.streams, way.continuations, way.actors, way.sleeps, way.polls, way.groups, way.discardingGroups, way.nestedGroups,
            way.values,
            way.sources, way.flattened, way.cancelled,
        ]
        for way in ways { Task(operation: way) }
        // Leaked tasks do not end, so neither does a group of them.
        var left = ways.count
        for await _ in making {
            left -= 1
            if left == 0 { break }
        }
    }
}
