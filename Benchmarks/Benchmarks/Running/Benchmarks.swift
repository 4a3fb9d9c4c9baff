import Benchmark
import CAllocator
import Foundation
import Hopscope
import Measuring
import NIOCore
import NIOPosix
import TaskRuntime
import TraceStore
import TraceTransport

/// Compares operations of chains with those of swift-nio's futures, which record nothing, and measures what recording adds. The budget: at
/// most the cost of NIO's future, at most 15 % more when recording, 160 bytes for a pending task, 320 with one continuation.
let benchmarks: @Sendable () -> Void = {
    let chains = 300
    let operations = chains * 1_000

    Benchmark("A link of a chain from a pending root, against swift-nio's", configuration: .rounds(25)) { benchmark in
        let theirs = try onLoop { loop in nanoseconds { for _ in 0..<chains { futureChain(links: 1_000, on: loop) } } }
        let ours = nanoseconds { for _ in 0..<chains { chain(links: 1_000) } }
        benchmark.compare(ours, with: "swift-nio", theirs, operations: operations, atMost: 1)
    }

    Benchmark("A continuation of an ended task, against swift-nio's", configuration: .rounds(25)) { benchmark in
        let theirs = try onLoop { loop in
            let future = loop.makeSucceededFuture(0)
            return nanoseconds { for _ in 0..<operations { blackHole(future.map { $0 &+ 1 }) } }
        }
        let ours = nanoseconds { continuations(operations) }
        benchmark.compare(ours, with: "swift-nio", theirs, operations: operations, atMost: 1)
    }

    Benchmark("An error that passes 1,000 skipped continuations, against swift-nio's", configuration: .rounds(25)) { benchmark in
        let theirs = try onLoop { loop in nanoseconds { for _ in 0..<chains { failedFutureChain(links: 1_000, on: loop) } } }
        let ours = nanoseconds { for _ in 0..<chains { failedChain(links: 1_000) } }
        benchmark.compare(ours, with: "swift-nio", theirs, operations: operations, atMost: 1)
    }

    Benchmark("A join of 10,000, each, against swift-nio's", configuration: .rounds(25)) { benchmark in
        let theirs = try onLoop { loop in nanoseconds { for _ in 0..<10 { futureJoin(of: 10_000, on: loop) } } }
        let ours = nanoseconds { for _ in 0..<10 { join(of: 10_000) } }
        benchmark.compare(ours, with: "swift-nio", theirs, operations: 100_000, atMost: 1)
    }

    Benchmark("A link through a queue, against swift-nio's submit", configuration: .rounds(15)) { benchmark in
        let theirs = try nanoseconds { for _ in 0..<50 { try futureQueue(links: 1_000) } }
        let ours = nanoseconds { for _ in 0..<50 { queue(links: 1_000) } }
        benchmark.compare(ours, with: "swift-nio", theirs, operations: 50_000, atMost: 1)
    }

    for row in recordedRows {
        // A recording that begins: a lane, its ring and the table of names are made.
        recording(row, "as it begins to be recorded", operations: row.operations / 10) { run in
            let begun = try Inspector.record(to: recordingPath)
            let time = run()
            try begun.stop()
            return time
        }
        recording(row, "recorded", operations: row.operations) { run in
            let begun = try Inspector.record(to: recordingPath)
            _ = run()
            let time = run()
            try begun.stop()
            return time
        }
        recording(row, "with an inspector attached", operations: row.operations) { run in
            let publication = try Inspector.publish()
            let inspector = TraceCollector(source: try RegionFile(path: publication.path))
            try inspector.start()
            _ = run()
            _ = inspector.take()
            let time = run()
            inspector.finish()
            publication.stop()
            return time
        }
    }

    Benchmark("A pending task", configuration: .rounds(3, of: .bytes)) { benchmark in
        let bytes = bytesOfPending { _ in }
        benchmark.measurement(.bytes, bytes)
        benchmark.limit(Double(bytes), "bytes", atMost: 160)
    }

    Benchmark("A pending task with one continuation", configuration: .rounds(3, of: .bytes)) { benchmark in
        let bytes = bytesOfPending { $0.continueOnSuccessWith(on: .immediate) { $0 &+ 1 } }
        benchmark.measurement(.bytes, bytes)
        benchmark.limit(Double(bytes), "bytes", atMost: 320)
    }
}

// MARK: - With a recording

/// An operation as users write it: on the default executor, with a name.
private struct RecordedRow: Sendable {
    let name: String
    let operations: Int
    /// Whether the operations run on the calling thread, whose processor time is then their cost.
    var isOfOneThread = true
    /// Runs about so many operations.
    let run: @Sendable (Int) -> Void

    func time(_ operations: Int) -> Int {
        isOfOneThread ? processorNanoseconds { run(operations) } : nanoseconds { run(operations) }
    }
}

private let recordedRows = [
    RecordedRow(name: "A link", operations: 300_000) { for _ in 0..<$0 / 1_000 { chain(links: 1_000, on: .default, name: "step") } },
    RecordedRow(name: "A continuation of an ended task", operations: 300_000) { continuations($0, on: .default, name: "step") },
    RecordedRow(name: "An error that passes 1,000 skipped continuations", operations: 300_000) {
        for _ in 0..<$0 / 1_000 { failedChain(links: 1_000, on: .default, name: "step") }
    },
    RecordedRow(name: "A join of 10,000, each", operations: 100_000) { for _ in 0..<$0 / 10_000 { join(of: 10_000) } },
    RecordedRow(name: "A link through a queue", operations: 50_000, isOfOneThread: false) {
        for _ in 0..<$0 / 1_000 { queue(links: 1_000) }
    },
]

private let recordingPath = NSTemporaryDirectory() + "hopscope-benchmark-running.hop"

/// Compares a row with the same row of the same round without a recording.
private func recording(
    _ row: RecordedRow, _ state: String, operations: Int, _ recorded: @escaping @Sendable (_ run: () -> Int) throws -> Int
) {
    Benchmark("\(row.name), \(state), against not", configuration: .rounds(25)) { benchmark in
        let silent = row.time(operations)
        let noted = try recorded { row.time(operations) }
        try? FileManager.default.removeItem(atPath: recordingPath)
        benchmark.compare(noted, with: "without recording", silent, operations: operations, atMost: 1.15)
    }
}

// MARK: - Operations

private struct Refused: Error {}

private func chain(links: Int, on executor: ChainExecutor = .immediate, name: String? = nil) {
    let root = TaskCompletionSource<Int>()
    var last = root.task
    for _ in 0..<links { last = last.continueOnSuccessWith(on: executor, name: name) { $0 &+ 1 } }
    root.set(0)
    blackHole(last.result)
}

private func continuations(_ count: Int, on executor: ChainExecutor = .immediate, name: String? = nil) {
    let task = ChainTask(0)
    for _ in 0..<count { blackHole(task.continueOnSuccessWith(on: executor, name: name) { $0 &+ 1 }) }
}

private func failedChain(links: Int, on executor: ChainExecutor = .immediate, name: String? = nil) {
    let root = TaskCompletionSource<Int>()
    var last = root.task
    for _ in 0..<links { last = last.continueOnSuccessWith(on: executor, name: name) { $0 &+ 1 } }
    root.set(error: Refused())
    blackHole(last.isFaulted)
}

private func join(of count: Int) {
    let sources = (0..<count).map { _ in TaskCompletionSource<Int>() }
    let all = ChainTask.whenAll(sources.map(\.task))
    for source in sources { source.set(0) }
    blackHole(all.isCompleted)
}

private let serial = ChainExecutor.pool(name: "serial", width: 1)

private func queue(links: Int) {
    let root = TaskCompletionSource<Int>()
    var last = root.task
    for _ in 0..<links { last = last.continueOnSuccessWith(on: serial) { $0 &+ 1 } }
    root.set(0)
    last.wait()
}

/// The bytes of a pending task, with what `add` adds to it.
private func bytesOfPending(_ add: (ChainTask<Int>) -> Void) -> Int {
    let count = 1_000_000
    var sources: [TaskCompletionSource<Int>] = []
    sources.reserveCapacity(count)
    let before = Int(allocated_bytes())
    for _ in 0..<count {
        let source = TaskCompletionSource<Int>()
        add(source.task)
        sources.append(source)
    }
    let bytes = (Int(allocated_bytes()) - before) / count
    for source in sources { source.set(0) }
    return bytes
}

// MARK: - swift-nio

/// Runs `body` on the loop's own thread, where its futures are fastest.
private func onLoop(_ body: @escaping @Sendable (any EventLoop) -> Int) throws -> Int {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    return try loop.submit { body(loop) }.wait()
}

private func futureChain(links: Int, on loop: any EventLoop) {
    let root = loop.makePromise(of: Int.self)
    var last = root.futureResult
    for _ in 0..<links { last = last.map { $0 &+ 1 } }
    root.succeed(0)
    blackHole(last)
}

private func failedFutureChain(links: Int, on loop: any EventLoop) {
    let root = loop.makePromise(of: Int.self)
    var last = root.futureResult
    for _ in 0..<links { last = last.map { $0 &+ 1 } }
    root.fail(Refused())
    blackHole(last)
}

private func futureJoin(of count: Int, on loop: any EventLoop) {
    let promises = (0..<count).map { _ in loop.makePromise(of: Int.self) }
    let all = EventLoopFuture.andAllSucceed(promises.map(\.futureResult), on: loop)
    for promise in promises { promise.succeed(0) }
    blackHole(all)
}

/// Each link's body is submitted to another loop than the one of its future.
private func futureQueue(links: Int) throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let other = MultiThreadedEventLoopGroup.singleton.next()
    let root = loop.makePromise(of: Int.self)
    var last = root.futureResult
    for _ in 0..<links { last = last.flatMap { value in other.submit { value &+ 1 } } }
    root.succeed(0)
    blackHole(try last.wait())
}
