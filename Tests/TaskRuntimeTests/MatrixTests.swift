import Dispatch
import Testing
import TraceTestKit

@testable import TaskRuntime

/// One test for each row of the libraries' comparison for native tasks, named after the row. `Docs/Semantics.md` has the table.
@Suite(.explored) struct MatrixTests {
    @Test("Continuation added after completion: inline on the caller's thread before the call returns, through its executor otherwise")
    func addedAfterCompletion() {
        for executor in [ChainExecutor.default, .immediate] {
            let here = currentThread()
            #expect(ChainTask(1).continueWith(on: executor) { _ in currentThread() == here }.result == true)
        }
        let manual = ManualExecutor()
        let queued = ChainTask(1).continueWith(on: manual.executor) { _ in 2 }
        #expect(!queued.isCompleted && manual.count == 1)
        manual.runAll()
        #expect(queued.result == 2)
    }

    @Test("Order of several continuations: the order in which they were added, inline, before set returns")
    func orderOfContinuations() {
        let source = TaskCompletionSource<Int>(), log = Log()
        for name in ["A", "B", "C"] { source.task.continueWith { _ in log.add(name) } }
        source.set(1)
        log.add("set returned")
        #expect(log.lines == ["A", "B", "C", "set returned"])
    }

    @Test("Continuation that adds a continuation while callbacks run: the new one runs at once, before the remaining ones")
    func addedByContinuation() {
        let source = TaskCompletionSource<Int>(), log = Log()
        source.task.continueWith { task in
            log.add("A")
            task.continueWith { _ in log.add("C, added in A") }
            log.add("A goes on")
        }
        source.task.continueWith { _ in log.add("B") }
        source.set(1)
        #expect(log.lines == ["A", "C, added in A", "A goes on", "B"])
    }

    @Test("Lock held while continuations run: no; another thread reads the result and adds a continuation meanwhile")
    func noLockHeld() {
        let source = TaskCompletionSource<Int>(), log = Log()
        source.task.continueWith { task in
            let isDone = DispatchSemaphore(value: 0)
            DispatchQueue(label: "other").async {
                log.add(task.summary)
                task.continueWith { _ in log.add("continued") }
                isDone.signal()
            }
            isDone.wait()
        }
        source.set(1)
        #expect(log.lines == ["success 1", "continued"])
    }

    @Test("Continuation returns a task: flattened only by the Task forms, with the inner task's outcome; otherwise it is the value")
    func returnsTask() {
        let inner = TaskCompletionSource<Int>()
        let outer = ChainTask(1).continueWithTask { _ in inner.task }
        #expect(outer.summary == "pending")
        inner.set(2)
        #expect(outer.summary == "success 2")
        #expect(ChainTask(1).continueOnSuccessWithTask { _ in ChainTask<Int>(error: Boom()) }.summary == "faulted boom")
        #expect(ChainTask(1).continueWithTask { _ in ChainTask<Int>.cancelled() }.summary == "cancelled")
        #expect(ChainTask(1).continueWith { _ in ChainTask(3) }.result?.result == 3)
    }

    @Test("Continuation returns an error object: it is the value")
    func returnsError() {
        let task = ChainTask(1).continueWith { _ in Boom() }
        #expect(!task.isFaulted && task.result == Boom())
    }

    @Test("Continuation returns nil: success with nil")
    func returnsNil() {
        let task = ChainTask(1).continueWith { _ in Int?.none }
        #expect(task.isCompleted && !task.isFaulted && task.result == .some(nil))
    }

    @Test("Continuation throws: the error is the task's; a thrown CancellationError cancels")
    func throwing() {
        #expect(ChainTask(1).continueWith { _ -> Int in throw Boom() }.summary == "faulted boom")
        #expect(ChainTask(1).continueWith { _ -> Int in throw CancellationError() }.summary == "cancelled")
    }

    @Test("onSuccess with error antecedent: skipped, the same error forwarded, the executor not used")
    func skippedByError() {
        final class Own: Error {}
        let own = Own(), manual = ManualExecutor()
        let task = ChainTask<Int>(error: own).continueOnSuccessWith(on: manual.executor) { $0 }
        #expect(task.error as? Own === own)
        #expect(manual.count == 0)
    }

    @Test("onSuccess with cancelled antecedent: skipped, cancelled, the executor not used")
    func skippedByCancellation() {
        let manual = ManualExecutor()
        #expect(ChainTask<Int>.cancelled().continueOnSuccessWith(on: manual.executor) { $0 }.summary == "cancelled")
        #expect(manual.count == 0)
    }

    @Test("onError with success or cancelled, or with an error of another type: skipped, forwarded as it is")
    func errorHandlersSkipped() {
        #expect(ChainTask(1).continueOnErrorWith { _ in 2 }.summary == "success 1")
        #expect(ChainTask<Int>.cancelled().continueOnErrorWith { _ in 2 }.summary == "cancelled")
        #expect(ChainTask<Int>(error: Thud()).continueOnErrorWith { (_: Boom) in 2 }.summary == "faulted thud")
        #expect(ChainTask<Int>(error: Boom()).continueOnErrorWith { (_: Boom) in 2 }.summary == "success 2")
    }

    @Test("Set twice: the program ends and names both call sites")
    func setTwice() async {
        await #expect(processExitsWith: .failure) {
            let source = TaskCompletionSource<Int>()
            source.set(1)
            source.set(error: Boom())
        }
    }

    @Test("trySet twice: false, and no effect")
    func trySetTwice() {
        let source = TaskCompletionSource<Int>()
        #expect(source.trySet(1))
        #expect(!source.trySet(2) && !source.trySet(error: Boom()) && !source.trySetCancelled())
        #expect(source.task.summary == "success 1")
    }

    @Test("Cancel after completion: the program ends, trySetCancelled returns false")
    func cancelAfterCompletion() async {
        let source = TaskCompletionSource<Int>()
        source.set(1)
        #expect(!source.trySetCancelled())
        await #expect(processExitsWith: .failure) {
            let source = TaskCompletionSource<Int>()
            source.set(1)
            source.setCancelled()
        }
    }

    @Test("ALL, 0 tasks: success")
    func allOfNone() {
        #expect(ChainTask<Int>.whenAll([]).summary == "success ()")
    }

    @Test("ALL, one error: that error itself, when all have ended")
    func allWithOneError() {
        let source = TaskCompletionSource<Int>()
        let all = ChainTask.whenAll([ChainTask<Int>(error: Boom()), source.task])
        #expect(all.summary == "pending")
        source.set(1)
        #expect(all.summary == "faulted boom")
    }

    @Test("ALL, two errors and more: AggregateError in the order of the inputs")
    func allWithErrors() {
        let (first, second) = (TaskCompletionSource<Int>(), TaskCompletionSource<Int>())
        let all = ChainTask.whenAll([first.task, second.task])
        second.set(error: Boom("second"))
        first.set(error: Boom("first"))
        #expect((all.error as? AggregateError)?.errors as? [Boom] == [Boom("first"), Boom("second")])
    }

    @Test("ALL, error and cancelled: the error wins")
    func allWithErrorAndCancelled() {
        #expect(ChainTask.whenAll([ChainTask<Int>.cancelled(), ChainTask(error: Boom())]).summary == "faulted boom")
    }

    @Test("ALL, success and cancelled: cancelled")
    func allWithSuccessAndCancelled() {
        #expect(ChainTask.whenAll([ChainTask<Int>.cancelled(), ChainTask(1)]).summary == "cancelled")
    }

    @Test("ALL with results: in the order of the inputs, [] for none")
    func allWithResults() {
        let (first, second) = (TaskCompletionSource<Int>(), TaskCompletionSource<Int>())
        let all = ChainTask.whenAllResults([first.task, second.task])
        second.set(2)
        first.set(1)
        #expect(all.result == [1, 2])
        #expect(ChainTask<Int>.whenAllResults([]).result == [])
    }

    @Test("ANY, 0 tasks: faults with an empty aggregate")
    func anyOfNone() {
        #expect((ChainTask<Int>.whenAny([]).error as? AggregateError)?.errors.isEmpty == true)
    }

    @Test("ANY, first success: that value; later outcomes are ignored")
    func anyWithSuccess() {
        let sources = (0..<3).map { _ in TaskCompletionSource<Int>() }
        let any = ChainTask.whenAny(sources.map(\.task))
        sources[0].set(error: Boom())
        #expect(any.summary == "pending")
        sources[2].set(2)
        sources[1].set(1)
        #expect(any.summary == "success 2")
    }

    @Test("ANY, all fail: an error beats a cancellation, one error is forwarded, several become an aggregate in the order of the inputs")
    func anyWithoutSuccess() {
        #expect(ChainTask.whenAny([ChainTask<Int>.cancelled(), ChainTask(error: Boom())]).summary == "faulted boom")
        #expect(ChainTask.whenAny([ChainTask<Int>.cancelled(), .cancelled()]).summary == "cancelled")
        let several = ChainTask.whenAny([ChainTask<Int>(error: Boom("1")), ChainTask(error: Boom("2"))])
        #expect((several.error as? AggregateError)?.errors as? [Boom] == [Boom("1"), Boom("2")])
    }

    @Test("Delay: a Duration; zero and negative ones succeed after the call returns")
    func delay() {
        let timers = VirtualTimers()
        Timers.$current.withValue(timers) {
            let delays = [Duration.milliseconds(100), .zero, .seconds(-1)].map { ChainTask.delay($0) }
            #expect(delays.allSatisfy { !$0.isCompleted })
            timers.advance(by: .zero)
            #expect(delays.map(\.isCompleted) == [false, true, true])
            timers.advance(by: .milliseconds(100))
            #expect(delays[0].summary == "success ()")
        }
    }

    @Test("Cancellation token observed: at once, while the body has not begun or waits for an inner task, and by delays")
    func tokenMoments() {
        let source = TaskCompletionSource<Int>(), cancellation = CancellationTokenSource(), timers = VirtualTimers()
        let token = cancellation.token
        let waiting = source.task.continueWith(cancellation: token) { _ in 1 }
        let following = ChainTask(1).continueWithTask(cancellation: token) { _ in source.task }
        let delay = Timers.$current.withValue(timers) { ChainTask.delay(.seconds(9), cancellation: token) }
        cancellation.cancel()
        #expect(waiting.isCancelled && following.isCancelled && delay.isCancelled && timers.count == 0)
        #expect(ChainTask<Int>(error: Boom()).continueOnSuccessWith(cancellation: token) { $0 }.isCancelled)
        source.set(1)
    }

    @Test("Never-completed task with a continuation: releasing the source faults the task, and nothing leaks")
    func neverCompleted() {
        final class Witness: Sendable {}
        weak var left: Witness?
        let continuation: ChainTask<Bool>
        do {
            let source = TaskCompletionSource<Int>(), witness = Witness()
            left = witness
            continuation = source.task.continueWith { task in
                withExtendedLifetime(witness) { task.error is BrokenSourceError }
            }
        }
        #expect(continuation.result == true && left == nil)
    }

    @Test("Wait: returns before the continuations have run, and is in the trace; unavailable in asynchronous code")
    func waiting() {
        let source = TaskCompletionSource<Int>(), log = Log(), hasWaited = DispatchSemaphore(value: 0), done = DispatchSemaphore(value: 0)
        source.task.continueWith { _ in
            hasWaited.wait()
            log.add("continued")
            done.signal()
        }
        DispatchQueue(label: "setter").async { source.set(1) }
        source.task.wait()
        log.add("waited")
        hasWaited.signal()
        done.wait()
        #expect(log.lines == ["waited", "continued"])
    }

    @Test("Wait on main for a main-executor continuation: it never ends, and a timeout ends the wait")
    func waitOnMain() async throws {
        let source = TaskCompletionSource<Int>()
        let continuation = source.task.continueWith(on: .main) { _ in 1 }
        let hasEnded = await MainActor.run {
            let isSet = DispatchSemaphore(value: 0)
            DispatchQueue(label: "setter").async {
                source.set(1)
                isSet.signal()
            }
            isSet.wait()
            return continuation.wait(timeout: .milliseconds(1))
        }
        #expect(!hasEnded)
        #expect(try await continuation.value == 1)
    }
}
