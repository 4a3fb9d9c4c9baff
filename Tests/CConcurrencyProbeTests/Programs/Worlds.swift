// A program with chains and Swift tasks, each of which awaits and starts the other.
//
//   worlds

import Dispatch
import TaskRuntime

struct Refused: Error {}

/// Blocks its users until it is opened.
final class Door: Sendable {
    private let opened = DispatchSemaphore(value: 0)
    func open() { opened.signal() }
    func pass() { opened.wait() }
}

@main
struct Worlds {
    static func main() async {
        await awaitsAChain()
        await isStartedByAChain()
        await isAChainsBody()
        await takesAChainsError()
        await takesATasksError()
        await shareAChainsError()
        await awaitsATask()
    }

    /// A Swift task awaits a chain's end.
    static func awaitsAChain() async {
        let door = Door()
        let chain = ChainTask(on: .pool(name: "pool", width: 1), name: "chain") {
            door.pass()
            return 1
        }
        let awaiting = Task.detached(name: "awaiting") { try? await chain.value }
        await Task.yield()
        door.open()
        _ = await awaiting.value
    }

    /// A chain's body creates a Swift task.
    static func isStartedByAChain() async {
        let (stream, source) = AsyncStream<Int>.makeStream()
        _ = ChainTask(on: .pool(name: "pool", width: 1), name: "starting") {
            _ = Task.detached(name: "started") {
                source.yield(1)
                source.finish()
            }
        }
        for await _ in stream {}
    }

    /// A chain's body is asynchronous and awaits another chain.
    static func isAChainsBody() async {
        let inner = ChainTask(name: "inner") { 2 }
        let outer = ChainTask(name: "outer", operation: { try await inner.value })
        _ = try? await outer.value
    }

    /// A chain's error passes to a Swift task.
    static func takesAChainsError() async {
        let failing = ChainTask<Int>(name: "failing") { throw Refused() }
        let taking = Task.detached(name: "taking") { try await failing.value }
        _ = await taking.result
    }

    /// A Swift task's error passes to a chain.
    static func takesATasksError() async {
        let failing = Task<Int, any Error>.detached(name: "refusing") { throw Refused() }
        let taking = ChainTask(name: "refused", operation: { try await failing.value })
        _ = try? await taking.value
    }

    /// Two Swift tasks get one error of a chain before either throws it on.
    static func shareAChainsError() async {
        let failing = ChainTask<Int>(name: "shared") { throw Refused() }
        let (first, second) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        func take(_ name: String, _ own: AsyncStream<Void>.Continuation, _ other: AsyncStream<Void>) -> Task<Int, any Error> {
            Task.detached(name: name) {
                do {
                    return try await failing.value
                } catch {
                    own.finish()
                    for await _ in other {}
                    throw error
                }
            }
        }
        let tasks = [take("sharing first", first.continuation, second.stream), take("sharing second", second.continuation, first.stream)]
        for task in tasks { _ = await task.result }
    }

    /// One Swift task awaits an ended task, and a child that is still running.
    static func awaitsATask() async {
        let ended = Task.detached(name: "ended") { 3 }
        _ = await ended.value
        await Task.detached(name: "reading") {
            _ = await ended.value
            async let child = Task.yield()
            await child
        }.value
    }
}
