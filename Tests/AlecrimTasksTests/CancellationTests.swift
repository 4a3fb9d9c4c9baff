import AlecrimTasks
import Foundation
import TaskRuntime
import Testing

/// Cancellation is an error with a certain code and stops nothing that runs.
@Suite struct CancellationTests {
    static let errors: [(error: NSError, isCancellation: Bool)] = [
        (NSError(domain: "com.alecrim.AlecrimAsyncKit", code: NSUserCancelledError), true),
        (NSError(domain: NSCocoaErrorDomain, code: 3072), true),
        (NSError(domain: "mine", code: 3072), true),
        (NSError(domain: "com.alecrim.AlecrimAsyncKit", code: 1), false),
    ]

    /// The code alone decides, whatever the domain and whichever call reports it.
    @Test(arguments: errors.indices, [true, false])
    func anErrorOfThatCodeCancels(index: Int, isThrown: Bool) {
        let (error, isCancellation) = Self.errors[index]
        let thrown = Failure(error)
        let task: Task<Int> = isThrown ? async { throw thrown.error } : asyncEx { $0.finishWithError(thrown.error) }
        #expect(outcome(of: task) == "error \(error.domain) \(error.code)\(isCancellation ? " cancelled" : "")")
        #expect(task.cancelled == isCancellation)
        #expect(task.chainTask.isCancelled == isCancellation)
        #expect(task.error as? NSError === error)
    }

    /// Swift's own `CancellationError` is newer and has another code.
    @Test func swiftsCancellationErrorIsAnErrorLikeAnyOther() {
        let task: Task<Int> = async { throw CancellationError() }
        #expect(outcome(of: task) == "error CancellationError()")
        #expect(!task.cancelled)
    }

    @Test("Cancellation token observed: there is none; cancelling stops nothing that runs, and the body checks")
    func cancellingStopsNothingThatRuns() {
        let (begun, goOn, done, log) = (Barrier(), Barrier(), Barrier(), Log())
        let task: Task<Int> = asyncEx { task in
            begun.open()
            goOn.pass()
            log.add(task.cancelled ? "sees it" : "does not")
            task.finishWithValue(4)
            log.add("done")
            done.open()
        }
        begun.pass()
        task.cancel()
        #expect(outcome(of: task) == cancelled)
        goOn.open()
        done.pass()
        #expect(log.lines == ["sees it", "done"])
        #expect(outcome(of: task) == cancelled)
    }

    /// The README says that this cannot happen: "Since a task is started when it is created it can only be cancelled after running".
    @Test func aTaskCancelledBeforeItBeginsNeverRuns() {
        let (queue, log) = (OperationQueue(), Log())
        queue.isSuspended = true
        let task: Task<Int> = async(queue, observers: [TaskObserver().didStart { _ in log.add("start") }]) {
            log.add("body")
            return 4
        }
        task.cancel()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(outcome(of: task) == cancelled)
        #expect(log.lines.isEmpty)
    }

    @Test(arguments: [true, false])
    func aTaskThatIsFinishedBeforeItBeginsRunsItsBodyAllTheSame(succeeds: Bool) {
        let (queue, log) = (OperationQueue(), Log())
        queue.isSuspended = true
        let observer = TaskObserver().didStart { _ in log.add("start") }.didFinish { _ in log.add("finish") }
        let task: Task<Int> = async(queue, observers: [observer]) {
            log.add("body")
            return 5
        }
        if succeeds { task.finishWithValue(4) } else { task.finishWithError(Boom()) }
        #expect(log.lines.isEmpty)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(outcome(of: task) == (succeeds ? "value 4" : "error boom"))
        #expect(log.lines == ["start", "finish", "body"])
    }
}

private struct Failure: Sendable {
    let error: NSError

    init(_ error: NSError) { self.error = error }
}
