import Dispatch
import Foundation
import TaskEvents
import Testing
import TraceTestKit

@testable import TaskRuntime

/// Ended tasks leave no memory behind; measured in a process that does nothing else.
@Suite(.serialized)
struct LeftoverTests {
    private typealias Kind = (name: String, make: @Sendable () -> Int)

    @Test func endedTasksLeaveNothingBehind() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            await Leftovers.report(LeftoverTests.roots + LeftoverTests.continuations + LeftoverTests.ended + LeftoverTests.others)
        }
        #expect(Self.words(of: result) == "")
    }

    @Test func aRetainedTaskIsFound() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let store = Guarded<[ChainTask<Int>]>([])
            let kept = { @Sendable in
                store.withLock { $0.append(ChainTask(1)) }
                return 1
            }
            await Leftovers.report([("kept", kept)], deadline: .zero)
        }
        #expect(Self.words(of: result).contains("kept: 1000 of 1000 tasks live on"))
    }

    @Test(.disabled(if: Leftovers.isSanitized)) func otherRetainedMemoryIsFound() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let store = Guarded<[[UInt8]]>([])
            let task = { @Sendable in
                store.withLock { $0.append([UInt8](repeating: 1, count: 64)) }
                return LeftoverTests.made([ChainTask(1)])
            }
            await Leftovers.report([("stored", task)], everyDay: 10_000)
        }
        #expect(Self.words(of: result).contains("bytes a task stay behind"))
    }

    private static func words(of result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    // MARK: The kinds

    private static let roots: [Kind] = [
        ("value", { made([ChainTask(1)]) }),
        ("error", { made([ChainTask<Int>(error: Boom())]) }),
        ("cancelled", { made([ChainTask<Int>.cancelled()]) }),
        ("root", { made([ChainTask { 1 }]) }),
        ("throwing root", { made([ChainTask<Int> { throw Boom() }]) }),
        ("flattening root", { made([ChainTask<Int>.flattening { ChainTask(1) }], inner: 1) }),
        ("asynchronous root", { made([ChainTask<Int> { () async -> Int in 1 }]) }),
        ("delay", { made([ChainTask.delay(.zero)]) }),
        ("source", { made([set { $0.set(1) }]) }),
        ("failed source", { made([set { $0.set(error: Boom()) }]) }),
        ("cancelled source", { made([set { $0.setCancelled() }]) }),
        ("broken source", { made([TaskCompletionSource<Int>().task]) }),
    ]

    private static let executors: [(String, ChainExecutor)] = [
        ("immediate", .immediate), ("default", .default), ("queue", .queue(DispatchQueue(label: "leftovers"))),
        ("pool", .pool(name: "leftovers", width: 2)), ("operation queue", .operationQueue(OperationQueue())),
        ("custom", .custom(name: "leftovers") { job in DispatchQueue.global().async(execute: job) }),
    ]

    private static let continuations: [Kind] = executors.flatMap { name, executor -> [Kind] in
        [
            ("root on \(name)", { made([ChainTask(on: executor) { 1 }]) }),
            ("continuation on \(name)", { after { [$0.continueWith(on: executor) { _ in 1 }] } }),
            ("flattening on \(name)", { after(inner: 1) { [$0.continueOnSuccessWithTask(on: executor) { ChainTask($0) }] } }),
            ("skipped on \(name)", { after { [$0.continueOnErrorWith(on: executor) { _ in 1 }] } }),
            ("handler on \(name)", { made([ChainTask<Int>(error: Boom()).continueOnErrorWith(on: executor) { _ in 1 }], inner: 1) }),
        ]
    }

    private static let ended: [Kind] = [
        ("continuation of its own time", { made([ChainTask(1).continueOnSuccessWith { $0 }], inner: 1) }),
        ("ones in a row", { after { task in (0..<5).map { _ in task.continueWith { _ in 1 } } } }),
        ("one that never runs", { made([TaskCompletionSource<Int>().task.continueOnSuccessWith { $0 }], inner: 1) }),
        (
            "cancelled by its token",
            {
                let cancellation = CancellationTokenSource(), source = TaskCompletionSource<Int>()
                let task = source.task.continueWith(cancellation: cancellation.token) { _ in 1 }
                cancellation.cancel()
                source.set(1)
                return made([task], inner: 1)
            }
        ),
        (
            "given a token in vain",
            {
                let cancellation = CancellationTokenSource()
                return after { [$0.continueWith(cancellation: cancellation.token) { _ in 1 }] }
            }
        ),
    ]

    private static let others: [Kind] = [
        ("whenAll", { after { [ChainTask.whenAll([$0, $0])] } }),
        ("whenAllResults", { after { [ChainTask.whenAllResults([$0, $0])] } }),
        ("whenAny", { after { [ChainTask.whenAny([$0, TaskCompletionSource<Int>().task])] } }),
        ("timeout", { after { [$0.timeout(after: .seconds(1000))] } }),
        ("retry", { made([ChainTask<Int>.retry(times: 2) { if $0 == 1 { throw Boom() } else { return $0 } }], inner: 4) }),
        ("waited for", { after { $0.wait(timeout: .zero) ? [] : [] } }),
        (
            "awaited",
            {
                let source = TaskCompletionSource<Int>()
                Task { [task = source.task] in try await task.value }
                source.set(1)
                return 1
            }
        ),
        (
            "outcomes",
            {
                let source = TaskCompletionSource<Int>()
                Task { [task = source.task] in for await _ in ChainTask.outcomes(of: [task]) {} }
                source.set(1)
                return 1
            }
        ),
    ]

    // MARK: Making them

    /// Releases tasks and returns how many there were, with their inner tasks.
    private static func made(_ tasks: [AnyChainTask], inner: Int = 0) -> Int { tasks.count + inner }

    /// Makes continuations of a source's task, then sets the source.
    private static func after(inner: Int = 0, _ make: (ChainTask<Int>) -> [AnyChainTask]) -> Int {
        let source = TaskCompletionSource<Int>()
        let tasks = make(source.task)
        source.set(1)
        return made(tasks, inner: inner + 1)
    }

    private static func set(_ action: (TaskCompletionSource<Int>) -> Void) -> ChainTask<Int> {
        let source = TaskCompletionSource<Int>()
        action(source)
        return source.task
    }
}
