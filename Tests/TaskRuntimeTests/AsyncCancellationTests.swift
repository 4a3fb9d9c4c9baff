import Testing
import TraceTestKit

@testable import TaskRuntime

/// Swift's cancellation reaches a chain, and a chain's cancellation reaches Swift.
@Suite(.explored) struct AsyncCancellationTests {
    @Test func aCancelledWaiterCancelsTheGivenSource() async {
        let source = CancellationTokenSource(), pending = TaskCompletionSource<Int>()
        let chain = pending.task.continueOnSuccessWith(cancellation: source.token) { $0 }
        let waiting = Task { try await chain.value(cancelling: source) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(chain.isCancelled && source.token.isCancellationRequested)
        pending.set(1)
    }

    @Test func aValueIsReturnedAndNothingCancelled() async throws {
        let source = CancellationTokenSource()
        #expect(try await ChainTask(7).value(cancelling: source) == 7)
        await #expect(throws: Boom()) { try await ChainTask<Int>(error: Boom()).value(cancelling: source) }
        #expect(!source.token.isCancellationRequested)
    }

    @Test func waitingWithoutASourceCancelsNothing() async throws {
        let pending = TaskCompletionSource<Int>()
        let waiting = Task { try await pending.task.value }
        waiting.cancel()
        pending.set(3)
        #expect(try await waiting.value == 3)
    }

    @Test func aTokenCancelsTheSwiftTaskOfABody() async throws {
        let source = CancellationTokenSource(), begun = TaskCompletionSource<Void>()
        let task = ChainTask<Int>(cancellation: source.token) {
            begun.set(())
            while !Task.isCancelled { await Task.yield() }
            throw CancellationError()
        }
        try await begun.task.value
        #expect(!task.isCompleted)
        source.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aBegunBodyDecidesItsOutcome() async throws {
        let source = CancellationTokenSource(), begun = TaskCompletionSource<Void>()
        let task = ChainTask(cancellation: source.token) {
            begun.set(())
            while !Task.isCancelled { await Task.yield() }
            return 4
        }
        try await begun.task.value
        source.cancel()
        #expect(try await task.value == 4)
    }

    @Test func aCancelledTokenKeepsABodyFromBeginning() async {
        let source = CancellationTokenSource()
        source.cancel()
        let task = ChainTask(cancellation: source.token) { () async -> Int in
            Issue.record("the body of a cancelled task has run")
            return 1
        }
        #expect(task.isCancelled)
    }
}
