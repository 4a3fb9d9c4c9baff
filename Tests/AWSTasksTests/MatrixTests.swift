import AWSTasks
import Dispatch
import Foundation
import TaskEvents
import TaskRuntime
import Testing
import TraceTestKit

/// One test for each row of the libraries' comparison that covers AWSTask, named after the row.
@Suite(.explored) struct MatrixTests {
    @Test("Continuation added after completion: inline, on the caller's thread, before the call returns")
    func addedAfterCompletion() {
        for executor in [AWSExecutor.default(), .immediate()] {
            let thread = Guarded<pthread_t?>(nil)
            Task(result: nil).continueWith(executor: executor) { _ in
                thread.withLock { $0 = pthread_self() }
                return nil
            }
            #expect(thread.withLock { $0 } == pthread_self())
        }
    }

    @Test("Order of several continuations: the order of registration, inline, before set returns")
    func orderOfContinuations() {
        let (source, log) = (Source(), Log())
        for name in ["A", "B", "C"] {
            source.task.continueWith { _ in log.write(name) }
        }
        source.set(result: nil)
        log.write("set returned")
        #expect(log.lines == ["A", "B", "C", "set returned"])
    }

    @Test("Continuation that adds a continuation while callbacks run: the new one runs at once")
    func addedByContinuation() {
        let (source, log) = (Source(), Log())
        source.task.continueWith { task in
            log.write("A")
            task.continueWith { _ in log.write("C, added in A") }
            log.write("A goes on")
            return nil
        }
        source.task.continueWith { _ in log.write("B") }
        source.set(result: nil)
        #expect(log.lines == ["A", "C, added in A", "A goes on", "B"])
    }

    @Test("Lock held while continuations run: no; the original would block the other thread")
    func noLockHeld() {
        let (source, log) = (Source(), Log())
        source.task.continueWith { task in
            let isDone = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                log.write("reads \(task.result.map { "\($0)" } ?? "nil")")
                task.continueWith { _ in log.write("continues") }
                isDone.signal()
            }
            isDone.wait()
            return nil
        }
        source.set(result: "value".object)
        #expect(log.lines == ["reads value", "continues"])
    }

    @Test("Continuation returns a task: the continuation's task ends with the same outcome")
    func returnsTask() {
        let inner = Source()
        let outer = Task(result: nil).continueWith { _ in inner.task }
        #expect(outcome(outer) == "pending")
        inner.set(result: "inner".object)
        #expect(outcome(outer) == "result inner")
        #expect(outcome(Task(result: nil).continueWith { _ in Task(error: failure) }) == "error -1")
        #expect(outcome(Task(result: nil).continueWith { _ in Task.cancelled() }) == "cancelled")
        #expect(Task(result: nil).continueWith { _ in AWSTask<NSString>(result: "typed") }.result as? String == "typed")
    }

    @Test("Continuation returns an error object: it is the result")
    func returnsError() {
        let task = Task(result: nil).continueWith { _ in failure }
        #expect(!task.isFaulted)
        #expect(task.result === failure)
    }

    @Test("Continuation returns nil: success with nil, also for a nil task inside Any?")
    func returnsNil() {
        #expect(outcome(Task(result: "before".object).continueWith { _ in nil }) == "result nil")
        #expect(outcome(Task(result: nil).continueWith(block: { (_: Task) -> Task? in nil })) == "result nil")
        #expect(outcome(Task(result: nil).continueWith(block: { (_: Task) -> Any in AWSTask<NSString>?.none as Any })) == "result nil")
    }

    @Test("Continuation raises: nothing catches it and the program ends")
    func raises() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Task(result: nil).continueWith { _ in fatalError("raised in a block") }
        }
        #expect(errorText(result).contains("raised in a block"))
    }

    @Test("onSuccess with error antecedent: skipped, the same error forwarded, through the executor")
    func skippedByError() {
        let (jobs, log) = (Jobs(), Log())
        let skipped = Task(error: failure).continueOnSuccessWith(executor: jobs.executor()) { _ in log.write("ran") }
        #expect(jobs.count == 1)
        #expect(outcome(skipped) == "pending")
        jobs.run()
        #expect(skipped.error as? NSError === failure)
        #expect(log.lines.isEmpty)
    }

    @Test("onSuccess with cancelled antecedent: skipped, cancelled, through the executor")
    func skippedByCancellation() {
        let jobs = Jobs()
        let skipped = Task.cancelled().continueOnSuccessWith(executor: jobs.executor()) { _ in "ran" }
        #expect(jobs.count == 1)
        jobs.run()
        #expect(outcome(skipped) == "cancelled")
    }

    @Test("Set twice: the program ends with the original's message for the result")
    func setResultTwice() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let source = Source()
            source.set(error: failure)
            source.set(result: nil)
        }
        #expect(errorText(result).contains("Cannot set the result on a completed task."))
    }

    @Test("Set twice: the program ends with the original's message for the error")
    func setErrorTwice() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let source = Source()
            source.set(result: nil)
            source.set(error: failure)
        }
        #expect(errorText(result).contains("Cannot set the error on a completed task."))
    }

    @Test("trySet twice: false, and no effect")
    func trySetTwice() {
        let source = Source()
        #expect(source.trySet(result: "first".object))
        #expect(!source.trySet(result: "second".object))
        #expect(!source.trySet(error: failure))
        #expect(!source.trySetCancelled())
        #expect(outcome(source.task) == "result first")
    }

    @Test("Cancel after completion: the program ends with the original's message, trySetCancelled returns false")
    func cancelAfterCompletion() async {
        let source = Source()
        source.set(result: nil)
        #expect(!source.trySetCancelled())
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let source = Source()
            source.set(result: nil)
            source.cancel()
        }
        #expect(errorText(result).contains("Cannot cancel a completed task."))
    }

    @Test("ALL, 0 tasks: completed with nil, also for nil")
    func allOfNone() {
        #expect(outcome(Task(forCompletionOfAllTasks: [])) == "result nil")
        #expect(outcome(Task(forCompletionOfAllTasks: nil)) == "result nil")
    }

    @Test("ALL, one error: that error itself")
    func allWithOneError() {
        let all = Task(forCompletionOfAllTasks: [Task(result: nil), Task(error: failure)])
        #expect(all.error as? NSError === failure)
    }

    @Test("ALL, two errors and more: one error of domain bolts, which lists the errors in the order they arrived")
    func allWithErrors() throws {
        let (first, second) = (Source(), Source())
        let all = Task(forCompletionOfAllTasks: [first.task, Task(result: nil), second.task])
        second.set(error: otherFailure)
        #expect(outcome(all) == "pending")
        first.set(error: failure)
        let error = try #require(all.error as? NSError)
        #expect(error.domain == AWSTaskErrorDomain && error.domain == "bolts")
        #expect(error.code == kAWSMultipleErrorsError && error.code == 80_175_001)
        #expect(error.userInfo[AWSTaskMultipleErrorsUserInfoKey] as? [NSError] == [otherFailure, failure])
    }

    @Test("ALL, error and cancelled: the error wins")
    func allWithErrorAndCancelled() {
        #expect(outcome(Task(forCompletionOfAllTasks: [Task.cancelled(), Task(error: failure)])) == "error -1")
        #expect(outcome(Task(forCompletionOfAllTasks: [Task(error: failure), Task.cancelled()])) == "error -1")
    }

    @Test("ALL, success and cancelled: cancelled")
    func allWithSuccessAndCancelled() {
        #expect(outcome(Task(forCompletionOfAllTasks: [Task.cancelled(), Task(result: nil)])) == "cancelled")
    }

    @Test("ALL with results: in the order of the tasks, NSNull for nil; nil for nil tasks")
    func allWithResults() {
        let (first, second) = (Source(), Source())
        let all = AWSTask<NSArray>(forCompletionOfAllTasksWithResults: [first.task, Task(result: nil), second.task])
        second.set(result: "2".object)
        first.set(result: "1".object)
        #expect(all.result == ["1", NSNull(), "2"] as NSArray)
        #expect(AWSTask<NSArray>(forCompletionOfAllTasksWithResults: []).result == [])
        let ofNil = AWSTask<NSArray>(forCompletionOfAllTasksWithResults: nil)
        #expect(ofNil.isCompleted && ofNil.result == nil)
        #expect(outcome(Task(forCompletionOfAllTasksWithResults: [Task.cancelled(), Task(error: failure)])) == "error -1")
    }

    @Test("ANY, 0 tasks: completed with nil, also for nil")
    func anyOfNone() {
        #expect(outcome(Task(forCompletionOfAnyTask: [])) == "result nil")
        #expect(outcome(Task(forCompletionOfAnyTask: nil)) == "result nil")
    }

    @Test("ANY, first success: that result, later ones are ignored")
    func anyWithSuccess() {
        let (first, second, third) = (Source(), Source(), Source())
        let any = Task(forCompletionOfAnyTask: [first.task, second.task, third.task])
        first.set(error: failure)
        #expect(outcome(any) == "pending")
        third.set(result: "third".object)
        #expect(outcome(any) == "result third")
        second.set(result: "second".object)
        #expect(outcome(any) == "result third")
    }

    @Test("ANY, a success and a failure at the same time: the success")
    func anyRaced() {
        for _ in 0..<500 {
            let (failing, succeeding) = (Source(), Source())
            let any = Task(forCompletionOfAnyTask: [failing.task, succeeding.task])
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { failing.set(error: failure) } else { succeeding.set(result: nil) }
            }
            #expect(outcome(any) == "result nil")
        }
    }

    @Test("ANY, all fail: a cancellation beats errors, unlike in ALL")
    func anyWithoutSuccess() throws {
        #expect(outcome(Task(forCompletionOfAnyTask: [Task(error: failure), Task.cancelled()])) == "cancelled")
        #expect(Task(forCompletionOfAnyTask: [Task(error: failure)]).error as? NSError === failure)
        let error = try #require(
            Task(forCompletionOfAnyTask: [Task(error: failure), Task(error: otherFailure)]).error as? NSError)
        #expect((error.domain, error.code) == ("bolts", 80_175_001))
        #expect(error.userInfo["errors"] as? [NSError] == [failure, otherFailure])
    }

    @Test("Delay: milliseconds, ends with nil, never before the call returns")
    func delay() {
        let timers = VirtualTimers()
        let (delay, none) = Timers.$current.withValue(timers) { (Task(delay: 100), Task(delay: 0)) }
        #expect(outcome(none) == "pending")
        timers.advance(by: .milliseconds(99))
        #expect((outcome(none), outcome(delay)) == ("result nil", "pending"))
        timers.advance(by: .milliseconds(1))
        #expect(outcome(delay) == "result nil")
    }

    @Test("Cancellation token observed: before the block, when an inner task ends, when a delay begins and fires; never earlier")
    func tokenMoments() {
        let (source, cancellation, timers, inner) = (Source(), AWSCancellationTokenSource(), VirtualTimers(), Source())
        let token = cancellation.token
        let waiting = source.task.continueWith(block: { _ in "ran" }, cancellationToken: token)
        let following = Task(result: nil).continueWith(block: { _ in inner.task }, cancellationToken: token)
        let delay = Timers.$current.withValue(timers) { Task(delay: 100, cancellationToken: token) }
        cancellation.cancel()
        #expect([outcome(waiting), outcome(following), outcome(delay)] == ["pending", "pending", "pending"])
        source.set(error: failure)
        #expect(outcome(waiting) == "cancelled")
        inner.set(result: "inner".object)
        #expect(outcome(following) == "cancelled")
        timers.advance(by: .milliseconds(100))
        #expect(outcome(delay) == "cancelled")
        #expect(outcome(Task(delay: 100, cancellationToken: token)) == "cancelled")
        let pending = Source()
        #expect(outcome(pending.task.continueOnSuccessWith(block: { _ in nil }, cancellationToken: token)) == "cancelled")
        #expect(outcome(pending.task.continueWith(block: { _ in nil }, cancellationToken: token)) == "pending")
    }

    @Test("Never-completed task with a continuation: it is released, where the original leaks it")
    func neverCompleted() {
        final class Witness: Sendable {}
        weak var weakTask: Task?
        weak var weakWitness: Witness?
        do {
            let (source, witness) = (Source(), Witness())
            (weakTask, weakWitness) = (source.task, witness)
            source.task.continueWith { _ in witness }
            #expect(weakWitness != nil)
        }
        #expect(weakTask == nil)
        #expect(weakWitness == nil)
    }

    @Test("Wait: returns before the continuations have run")
    func wait() async {
        let (source, mayGoOn, hasRun, log) = (Source(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Log())
        source.task.continueWith { _ in
            mayGoOn.wait()
            log.write("continued")
            hasRun.signal()
            return nil
        }
        DispatchQueue.global().async { source.set(result: nil) }
        await onThread {
            source.task.waitUntilFinished()
            log.write("waited")
            mayGoOn.signal()
            hasRun.wait()
        }
        #expect(log.lines == ["waited", "continued"])
    }

    @Test("Wait on main for a main-executor continuation: the wait never ends")
    func waitOnMain() async {
        let source = Source()
        let continuation = source.task.continueWith(executor: .mainThread()) { _ in "ran" }
        let hasEnded = await MainActor.run {
            let isSet = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                source.set(result: nil)
                isSet.signal()
            }
            isSet.wait()
            return continuation.chain.wait(timeout: .milliseconds(1))
        }
        #expect(!hasEnded)
        await end(of: continuation)
        #expect(outcome(continuation) == "result ran")
    }

    private func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                body()
                done.resume()
            }
        }
    }
}
