// A program whose tasks run on actors and on custom executors, and block a thread.
//
//   places

import Dispatch
import Foundation

actor Counter {
    private(set) var count = 0

    func add() { count += 1 }

    /// Suspends in the middle. The actor must be free meanwhile, because the task resumes on it.
    func addSlowly() async {
        await Task.yield()
        await withUnsafeContinuation { continuation in Task.detached { await self.resume(continuation) } }
        count += 1
    }

    private func resume(_ continuation: UnsafeContinuation<Void, Never>) { continuation.resume() }
}

final class LineExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "line")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

actor Teller {
    private let line = LineExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { line.asUnownedSerialExecutor() }

    func serve() {}
}

actor Clerk {
    /// Occupies the actor while other tasks wait for it.
    func serve() {
        let end = ContinuousClock.now + .milliseconds(2)
        while ContinuousClock.now < end {}
    }
}

final class CrewExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "crew")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}

/// A call of the C library that blocks its thread.
@inline(never)
func rest() {
    usleep(5000)
}

/// Names the running task, as a server's middleware does.
func nameTask(_ name: String) {
    typealias Function = @convention(c) (UnsafePointer<CChar>) -> Void
    guard let function = dlsym(nil, "hopscope_name_task") else { return }
    unsafeBitCast(function, to: Function.self)(name)
}

/// Prefers an executor in scopes only.
func scopes() async {
    let crew = CrewExecutor()
    await withTaskExecutorPreference(crew) {
        await withTaskGroup(of: Void.self) { group in group.addTask(name: "group child") {} }
        await withTaskExecutorPreference(crew) {
            await withDiscardingTaskGroup { group in group.addTask(name: "child of both") { await Task.yield() } }
        }
        await inner()
    }
}

func inner() async {
    async let counted: Void = Counter().add()
    await counted
}

@main
struct Places {
    static func main() async {
        if CommandLine.arguments.contains("scopes") { return await scopes() }
        let counters = (0..<12).map { _ in Counter() }
        await Task.detached(name: "visitor") { for counter in counters { await counter.add() } }.value
        for counter in counters { await Task.detached(name: "slow") { await counter.addSlowly() }.value }
        let teller = Teller()
        await Task.detached(name: "customer") { await teller.serve() }.value

        let crew = CrewExecutor()
        await Task.detached(name: "member", executorPreference: crew) {
            await Task.yield()
            await withTaskGroup(of: Void.self) { group in group.addTask(name: "child of member") {} }
        }.value
        await Task.detached(name: "guest") {
            await withTaskExecutorPreference(crew) {
                await withUnsafeContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
            }
        }.value
        await Task.detached(name: "host") {
            await withTaskExecutorPreference(crew) {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 { group.addTask(name: "child of host") { await Task.yield() } }
                }
                async let counted: Void = counters[0].addSlowly()
                await counted
            }
        }.value
        await withTaskExecutorPreference(crew) {
            await withDiscardingTaskGroup { group in
                group.addTask(name: "child of main") { await Task.yield() }
            }
        }
        let clerk = Clerk()
        await Task.detached(name: "clerk's customers") {
            await withDiscardingTaskGroup { group in
                for _ in 0..<18 { group.addTask(name: "in the queue") { await clerk.serve() } }
            }
        }.value
        await Task.detached(name: "urgent", priority: .high) {}.value
        await Task.detached(name: "blocking") {
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { done.signal() }
            done.wait()
            done.signal()
            done.wait()
        }.value
        await Task.detached(name: "sleeping") { rest() }.value
        await Task.detached {
            nameTask("GET /prices")
            await Task.yield()
            nameTask("GET /orders/{number}")
        }.value
    }
}
