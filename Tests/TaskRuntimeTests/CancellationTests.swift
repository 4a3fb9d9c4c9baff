import Testing
import TraceTestKit

@testable import TaskRuntime

@Suite(.explored) struct CancellationTests {
    // MARK: Tokens and continuations

    @Test func aPendingContinuationIsCancelledAtOnce() {
        let source = TaskCompletionSource<Int>(), cancellation = CancellationTokenSource(), log = Log()
        let task = source.task.continueWith(cancellation: cancellation.token) { _ in log.add("ran") }
        task.continueWith { log.add($0.isCancelled ? "cancelled" : "?") }
        cancellation.cancel()
        #expect(log.lines == ["cancelled"])
        source.set(1)
        #expect(task.isCancelled && log.lines == ["cancelled"])
    }

    @Test func aContinuationAddedToACancelledTokenIsCancelled() {
        let cancellation = CancellationTokenSource(), log = Log()
        cancellation.cancel()
        let pending = TaskCompletionSource<Int>()
        for antecedent in [ChainTask(1), ChainTask(error: Boom()), .cancelled(), pending.task] {
            let tasks = [
                antecedent.continueWith(cancellation: cancellation.token) { _ in log.add("ran") },
                antecedent.continueWithTask(cancellation: cancellation.token) { _ in ChainTask(log.add("ran")) },
                antecedent.continueOnSuccessWith(cancellation: cancellation.token) { _ in log.add("ran") },
            ]
            #expect(tasks.map(\.isCancelled) == [true, true, true])
            #expect(antecedent.continueOnErrorWith(cancellation: cancellation.token) { _ in 1 }.isCancelled)
        }
        #expect(log.lines == [])
    }

    @Test func aQueuedContinuationIsCancelledAtOnce() {
        let manual = ManualExecutor(), cancellation = CancellationTokenSource(), log = Log()
        let task = ChainTask(1).continueWith(on: manual.executor, cancellation: cancellation.token) { _ in log.add("ran") }
        #expect(manual.count == 1)
        cancellation.cancel()
        #expect(task.isCancelled)
        manual.runAll()
        #expect(task.isCancelled && log.lines == [])
    }

    @Test func aRunningContinuationIsNotCancelled() {
        let cancellation = CancellationTokenSource()
        let task = ChainTask(1).continueWith(cancellation: cancellation.token) { _ in
            cancellation.cancel()
            return 5
        }
        #expect(task.summary == "success 5")
        let failing = ChainTask(1).continueWith(cancellation: CancellationTokenSource().token) { _ -> Int in throw Boom() }
        #expect(failing.summary == "faulted boom")
    }

    /// Once a body has begun its outcome stands, also if the outcome is a task that has not ended.
    @Test func aWaitingContinuationIsNotCancelledIfItsBodyRanThen() {
        let cancellation = CancellationTokenSource(), inner = TaskCompletionSource<Int>()
        let task = ChainTask(1).continueWithTask(cancellation: cancellation.token) { _ in
            cancellation.cancel()
            return inner.task
        }
        #expect(!task.isCompleted)
        inner.set(6)
        #expect(task.summary == "success 6")
    }

    @Test func aContinuationThatWaitsForItsReturnedTaskIsCancelled() {
        let cancellation = CancellationTokenSource(), inner = TaskCompletionSource<Int>()
        let task = ChainTask(1).continueOnSuccessWithTask(cancellation: cancellation.token) { _ in inner.task }
        #expect(!task.isCompleted)
        cancellation.cancel()
        #expect(task.isCancelled)
        inner.set(6)
        #expect(task.isCancelled && inner.task.result == 6)
    }

    @Test func anEndedContinuationStaysUnchanged() {
        let cancellation = CancellationTokenSource()
        let task = ChainTask(1).continueWith(cancellation: cancellation.token) { _ in 7 }
        cancellation.cancel()
        #expect(task.summary == "success 7")
    }

    @Test func cancellationBeatsASkip() {
        let source = TaskCompletionSource<Int>(), cancellation = CancellationTokenSource()
        let task = source.task.continueOnSuccessWith(cancellation: cancellation.token) { $0 }
        cancellation.cancel()
        source.set(error: Boom())
        #expect(task.isCancelled)
    }

    /// The token's first action ends the antecedent before the continuation's own action has run. The body still does not begin.
    @Test(arguments: ContinuationTests.End.allCases)
    func cancellationBeatsAnEndByTheTokensOwnAction(_ end: ContinuationTests.End) {
        let source = TaskCompletionSource<Int>(), cancellation = CancellationTokenSource(), log = Log()
        cancellation.token.onCancel { end.apply(to: source) }
        let always = source.task.continueWith(cancellation: cancellation.token) { _ in log.add("ran") }
        let success = source.task.continueOnSuccessWith(cancellation: cancellation.token) { _ in log.add("ran") }
        let error = source.task.continueOnErrorWith(cancellation: cancellation.token) { _ in
            log.add("ran")
            return 0
        }
        cancellation.cancel()
        #expect(always.isCancelled && success.isCancelled && error.isCancelled)
        #expect(log.lines == [])
    }

    /// The same with a job that waits in a queue.
    @Test func cancellationBeatsAJobThatItsActionsRun() {
        let manual = ManualExecutor(), cancellation = CancellationTokenSource(), log = Log()
        cancellation.token.onCancel { manual.runAll() }
        let task = ChainTask(1).continueWith(on: manual.executor, cancellation: cancellation.token) { _ in log.add("ran") }
        cancellation.cancel()
        #expect(task.isCancelled && log.lines == [])
    }

    // MARK: Tokens and delays

    @Test func aDelayIsCancelledAtOnce() {
        let timers = VirtualTimers(), cancellation = CancellationTokenSource()
        Timers.$current.withValue(timers) {
            let pending = ChainTask.delay(.seconds(5), cancellation: cancellation.token)
            timers.advance(by: .seconds(1))
            #expect(!pending.isCompleted && timers.count == 1)
            cancellation.cancel()
            #expect(pending.isCancelled && timers.count == 0)
            #expect(ChainTask.delay(.seconds(5), cancellation: cancellation.token).isCancelled)
            #expect(timers.count == 0)
        }
    }

    @Test func aTokenCanBeCancelledAfterADelay() {
        let timers = VirtualTimers(), log = Log()
        Timers.$current.withValue(timers) {
            let cancellation = CancellationTokenSource()
            cancellation.token.onCancel { log.add("at \(timers.now)") }
            cancellation.cancel(after: .seconds(3))
            cancellation.cancel(after: .seconds(2))
            timers.advance(by: .seconds(1))
            #expect(!cancellation.token.isCancellationRequested)
            timers.advance(by: .seconds(9))
            #expect(cancellation.token.isCancellationRequested)
        }
        #expect(log.lines == ["at 2.0 seconds"])
    }

    // MARK: Actions

    @Test func actionsRunInOrderBeforeCancelReturns() {
        let cancellation = CancellationTokenSource(), log = Log()
        for number in 0..<5 { cancellation.token.onCancel { log.add("\(number)") } }
        cancellation.cancel()
        log.add("returned")
        cancellation.cancel()
        #expect(log.lines == ["0", "1", "2", "3", "4", "returned"])
    }

    @Test func anActionOfACancelledTokenRunsAtOnce() {
        let cancellation = CancellationTokenSource(), log = Log()
        cancellation.cancel()
        let registration = cancellation.token.onCancel { log.add("ran") }
        log.add("returned")
        registration.cancel()
        #expect(log.lines == ["ran", "returned"])
    }

    @Test func anActionAddedByAnActionRunsAtOnce() {
        let cancellation = CancellationTokenSource(), log = Log()
        cancellation.token.onCancel {
            log.add("a")
            #expect(cancellation.token.isCancellationRequested)
            cancellation.token.onCancel { log.add("added in a") }
        }
        cancellation.token.onCancel { log.add("b") }
        cancellation.cancel()
        #expect(log.lines == ["a", "added in a", "b"])
    }

    @Test(arguments: [[], [0], [4], [2], [0, 1, 2, 3, 4], [3, 1], [1, 1]])
    func aCancelledRegistrationRemovesItsAction(_ removed: [Int]) {
        let cancellation = CancellationTokenSource(), log = Log()
        let registrations = (0..<5).map { number in cancellation.token.onCancel { log.add("\(number)") } }
        for index in removed { registrations[index].cancel() }
        cancellation.cancel()
        #expect(log.lines == (0..<5).filter { !removed.contains($0) }.map(String.init))
        for registration in registrations { registration.cancel() }
    }

    @Test func anEarlierActionMayRemoveALaterOne() {
        let cancellation = CancellationTokenSource(), log = Log(), later = Cell<CancellationToken.Registration>()
        cancellation.token.onCancel { later.value?.cancel() }
        later.value = cancellation.token.onCancel { log.add("taken back") }
        cancellation.token.onCancel { log.add("last") }
        cancellation.cancel()
        #expect(log.lines == ["last"])
    }

    @Test func releasingARegistrationDoesNotRemoveIt() {
        let cancellation = CancellationTokenSource(), log = Log()
        _ = cancellation.token.onCancel { log.add("ran") }
        cancellation.cancel()
        #expect(log.lines == ["ran"])
    }

    @Test func anEndedContinuationLeavesNoActionInItsToken() {
        final class Witness: Sendable {}
        let cancellation = CancellationTokenSource()
        weak var witness: Witness?
        do {
            let held = Witness()
            witness = held
            ChainTask(1).continueWith(cancellation: cancellation.token) { _ in _ = held }
        }
        #expect(witness == nil)
        cancellation.cancel()
    }
}
