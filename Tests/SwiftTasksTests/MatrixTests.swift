import AWSTasks
import Dispatch
import Foundation
import SwiftTasks
import Testing
import TraceTestKit

/// One test for each row of the libraries' comparison that covers SwiftTask and its model, FBTask, named after the row.
@Suite(.explored) struct MatrixTests {
    @Test("Continuation added after completion: dispatched to its queue, never inline")
    func addedAfterCompletion() async {
        let (held, log) = (HeldQueue(), Log())
        let task = SwiftTask(completionValue: .Result(nil)).dependentTaskWith(
            { _ in log.write("on \(HeldQueue.current)") }, queue: held.queue)
        log.write("returned")
        #expect(!task.completed)
        held.open()
        await ended(task)
        #expect(log.lines == ["returned", "on held"])
    }

    @Test("Order of several continuations: each is dispatched, in the order of registration")
    func orderOfContinuations() async {
        let (source, held, log) = (Source(), HeldQueue(), Log())
        let tasks = ["A", "B", "C"].map { name in source.task.dependentTaskWith({ _ in log.write(name) }, queue: held.queue) }
        source.setResult(nil)
        log.write("set returned")
        held.open()
        for task in tasks { await ended(task) }
        #expect(log.lines == ["set returned", "A", "B", "C"])
    }

    @Test("Continuation that adds a continuation while callbacks run: it is dispatched after the others")
    func addedByContinuation() async {
        let (source, held, log) = (Source(), HeldQueue(), Log())
        let first = source.task.dependentTaskWith(
            { task in
                let added = task.dependentTaskWith({ _ in log.write("C, added in A") }, queue: held.queue)
                log.write("A")
                return added
            }, queue: held.queue)
        source.task.dependentTaskWith({ _ in log.write("B") }, queue: held.queue)
        source.setResult(nil)
        held.open()
        await ended(first)
        #expect(log.lines == ["A", "B", "C, added in A"])
    }

    @Test("Lock held while continuations run: no")
    func noLockHeld() async {
        let (source, log) = (Source(), Log())
        let task = source.task.dependentTaskWith { task in
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                log.write("reads \(task.result.map { "\($0)" } ?? "nil")")
                isDone.signal()
            }
            isDone.wait()
            return nil
        }
        source.setResult("value")
        await ended(task)
        #expect(log.lines == ["reads value"])
    }

    @Test("Continuation returns a task: flattened, through the block's queue; a BFTask too")
    func returnsTask() async {
        let (inner, held) = (Source(), HeldQueue())
        let bolts = SwiftTask(completionValue: .Result(nil)).dependentTaskWith { _ in BFTask<NSString>(result: "bolts") }
        let outer = SwiftTask(completionValue: .Result(nil)).dependentTaskWith({ _ in inner.task }, queue: held.queue)
        held.open()
        held.queue.sync { held.queue.suspend() }
        inner.setException(Thrown())
        #expect(outcome(outer) == "not done")
        held.open()
        await ended(outer)
        await ended(bolts)
        #expect([outcome(outer), outcome(bolts)] == ["exception Thrown()", "result bolts"])
    }

    @Test("Continuation returns an error object: it is the result")
    func returnsError() async {
        let task = await ended(SwiftTask(completionValue: .Result(nil)).dependentTaskWith { _ in failure })
        #expect(task.result === failure)
        #expect(task.error == nil)
    }

    @Test("Continuation returns nil: success with nil")
    func returnsNil() async {
        let nothing = await ended(SwiftTask(completionValue: .Cancelled).dependentTaskWith { _ in nil })
        let noTask = await ended(SwiftTask(completionValue: .Cancelled).dependentTaskWith { _ -> SwiftTask? in nil })
        #expect([outcome(nothing), outcome(noTask)] == ["result nil", "result nil"])
    }

    @Test("Continuation throws: an exception, for any thrown error")
    func throwing() async {
        let task = await ended(SwiftTask(completionValue: .Result(nil)).dependentTaskWith { _ in throw Thrown() })
        let cancellation = await ended(SwiftTask(completionValue: .Result(nil)).dependentTaskWith { _ in throw CancellationError() })
        #expect([outcome(task), outcome(cancellation)] == ["exception Thrown()", "exception CancellationError()"])
        #expect(task.exception is Thrown)
    }

    @Test("onSuccess with error antecedent: skipped, and its queue is not used")
    func skippedByError() async {
        let (held, log) = (HeldQueue(), Log())
        let skipped = [Value.Error(failure), .Exception(Thrown())].map { value in
            SwiftTask(completionValue: value).completionTaskWith({ _ in log.write("ran") }, queue: held.queue)
        }
        for task in skipped { await ended(task) }
        #expect(skipped.map(outcome) == ["error -1", "exception Thrown()"])
        #expect(skipped[0].error as? NSError === failure)
        held.open()
        held.queue.sync {}
        #expect(log.lines.isEmpty)
    }

    @Test("onSuccess with cancelled antecedent: skipped, cancelled")
    func skippedByCancellation() async {
        let skipped = await ended(SwiftTask(completionValue: .Cancelled).completionTaskWith { _ in "ran" })
        #expect(outcome(skipped) == "cancelled")
    }

    @Test("Set twice, the result: the program ends with FBTask's message")
    func setResultTwice() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { endedSource().setResult(nil) }
        #expect(errorText(result).contains("Cannot set the result on a completed task."))
    }

    @Test("Set twice, the error: the program ends with FBTask's message")
    func setErrorTwice() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { endedSource().setError(failure) }
        #expect(errorText(result).contains("Cannot set the error on a completed task."))
    }

    @Test("Set twice, the exception: the program ends with FBTask's message")
    func setExceptionTwice() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endedSource().setCompletionValue(.Exception(Thrown()))
        }
        #expect(errorText(result).contains("Cannot set the exception on a completed task."))
    }

    @Test("trySet twice: false, and no effect")
    func trySetTwice() {
        let source = Source()
        #expect(source.trySetResult("first"))
        #expect(!source.trySetResult("second"))
        #expect(!source.trySetError(failure))
        #expect(!source.trySetException(Thrown()))
        #expect(!source.trySetCompletionValue(.Result(nil)))
        #expect(outcome(source.task) == "result first")
    }

    @Test("Cancel after completion: the program ends with FBTask's message, trySetCancelled returns false")
    func cancelAfterCompletion() async {
        #expect(!endedSource().trySetCancelled())
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { endedSource().cancel() }
        #expect(errorText(result).contains("Cannot cancel a completed task."))
    }

    @Test("ALL, 0 tasks: completed with nil")
    func allOfNone() {
        #expect(outcome(SwiftTask.taskForCompletionOfAllTasks([])) == "result nil")
    }

    @Test("ALL, one error: that error itself, an exception too")
    func allWithOneError() {
        #expect(all(.Result(nil), .Error(failure)).error as? NSError === failure)
        #expect(outcome(all(.Exception(Thrown()), .Result(nil))) == "exception Thrown()")
    }

    @Test("ALL, two errors and more: one error of domain bolts, which lists the errors in the order they arrived")
    func allWithErrors() throws {
        let (first, second) = (Source(), Source())
        let all = SwiftTask.taskForCompletionOfAllTasks([first.task, second.task])
        second.setException(Thrown())
        #expect(!all.completed)
        first.setError(failure)
        let error = try #require(all.error) as NSError
        let errors = try #require(error.userInfo[BFTaskMultipleErrorsUserInfoKey] as? [any Error])
        #expect((error.domain, error.code) == (BFTaskErrorDomain, kBFMultipleErrorsError))
        #expect((errors[0] as? SwiftTaskException)?.thrown is Thrown)
        #expect((errors[1] as NSError) === failure)
    }

    @Test("ALL, error and cancelled: the error wins")
    func allWithErrorAndCancelled() {
        #expect(outcome(all(.Cancelled, .Error(failure))) == "error -1")
        #expect(outcome(all(.Exception(Thrown()), .Cancelled)) == "exception Thrown()")
    }

    @Test("ALL, success and cancelled: cancelled")
    func allWithSuccessAndCancelled() {
        #expect(outcome(all(.Cancelled, .Result(nil))) == "cancelled")
    }

    @Test("Never-completed task with a continuation: it is released")
    func neverCompleted() {
        final class Witness: Sendable {}
        weak var weakWitness: Witness?
        do {
            let (source, witness) = (Source(), Witness())
            weakWitness = witness
            source.task.dependentTaskWith { _ in witness }
        }
        #expect(weakWitness == nil)
    }

    private func all(_ values: Value...) -> SwiftTask {
        SwiftTask.taskForCompletionOfAllTasks(values.map { SwiftTask(completionValue: $0) })
    }
}

private func endedSource() -> Source {
    let source = Source()
    source.setResult("first")
    return source
}
