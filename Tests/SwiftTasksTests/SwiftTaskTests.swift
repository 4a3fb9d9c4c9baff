import AWSTasks
import Dispatch
import Foundation
import SwiftTasks
import Testing
import TraceTestKit

@Suite(.explored) struct SwiftTaskTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let value: Value
        let outcome: String
        let completed: Bool
        let hasError: Bool
        let hasException: Bool
        let isCancelled: Bool
        let description: String
        /// The same task as a BFTask.
        let bolts: String
    }

    static let rows = [
        Row(
            testDescription: ".NotDone", value: .NotDone, outcome: "not done", completed: false, hasError: false, hasException: false,
            isCancelled: false, description: "<SwiftTask: NotDone>", bolts: "pending"),
        Row(
            testDescription: ".Result", value: .Result("value" as AnyObject), outcome: "result value", completed: true, hasError: false,
            hasException: false, isCancelled: false, description: "<SwiftTask: Result(value)>", bolts: "result"),
        Row(
            testDescription: ".Error", value: .Error(failure), outcome: "error -1", completed: true, hasError: true, hasException: false,
            isCancelled: false, description: "<SwiftTask: Error(\(failure))>", bolts: "error NSError"),
        Row(
            testDescription: ".Exception", value: .Exception(Thrown()), outcome: "exception Thrown()", completed: true, hasError: false,
            hasException: true, isCancelled: false, description: "<SwiftTask: Exception(Thrown())>", bolts: "error SwiftTaskException"),
        Row(
            testDescription: ".Cancelled", value: .Cancelled, outcome: "cancelled", completed: true, hasError: false, hasException: false,
            isCancelled: true, description: "<SwiftTask: Cancelled>", bolts: "cancelled"),
    ]

    @Test("A task reports its outcome, and completed is true after any end", arguments: rows)
    func properties(_ row: Row) {
        let task = SwiftTask(completionValue: row.value)
        #expect(outcome(task) == row.outcome)
        #expect(task.completed == row.completed)
        #expect((task.error != nil) == row.hasError)
        #expect((task.exception != nil) == row.hasException)
        #expect(task.isCancelled == row.isCancelled)
        #expect(task.description == row.description)
        #expect((task.result != nil) == row.outcome.hasPrefix("result"))
    }

    @Test("A source sets every outcome", arguments: rows.dropFirst())
    func sources(_ row: Row) {
        let (set, tried) = (Source(), Source())
        set.setCompletionValue(row.value)
        #expect(tried.trySetCompletionValue(row.value))
        #expect([outcome(set.task), outcome(tried.task)] == [row.outcome, row.outcome])
    }

    @Test("Conversion to a BFTask and back keeps every outcome and the same task", arguments: rows)
    func bridge(_ row: Row) {
        let task = SwiftTask(completionValue: row.value)
        let bolts = task.bftask()
        #expect(word(for: bolts) == row.bolts)
        #expect(bolts.swiftTask() == task)
        #expect(outcome(bolts.swiftTask()) == row.outcome)
        #expect(Set([task, bolts.swiftTask()]).count == 1)
    }

    @Test("A task and its BFTask end together")
    func bridgePending() {
        let (source, bolts) = (Source(), BFTaskCompletionSource<NSString>())
        let (asBolts, asSwift) = (source.task.bftask(), bolts.task.swiftTask())
        source.setException(Thrown())
        bolts.set(result: "value")
        #expect((asBolts.error as? SwiftTaskException)?.thrown is Thrown)
        #expect(outcome(asSwift) == "result value")
    }

    @Test("A BFTask has a completion value and dependent tasks")
    func boltsExtension() async {
        let (held, log) = (HeldQueue(), Log())
        let task = BFTask<NSString>(error: failure)
        if case .Error(let error) = task.completionValue { #expect(error === failure) } else { Issue.record("no error") }
        let dependent = task.dependentTaskWith(
            { task in
                log.write("\(outcome(task)) on \(HeldQueue.current)")
                return nil
            }, queue: held.queue)
        #expect(log.lines.isEmpty)
        held.open()
        await ended(dependent)
        #expect(log.lines == ["error -1 on held"])
    }

    @Test("A Swift error becomes an NSError with the same text; the Swift error itself stays accessible")
    func swiftErrors() throws {
        enum Failure: Error { case some }
        let source = Source()
        source.setError(Failure.some)
        #expect(source.task.error as? Failure == .some)
        guard case .Error(let error) = source.task.completionValue else { throw Thrown() }
        #expect(error.localizedDescription == "some")
        #expect(error.domain.hasSuffix("Failure"))
        #expect(error.userInfo[NSUnderlyingErrorKey] as? Failure == .some)
    }

    @Test("NotDone is no outcome: trySetCompletionValue returns false, setCompletionValue ends the program")
    func notDone() async {
        #expect(!Source().trySetCompletionValue(.NotDone))
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Source().setCompletionValue(.NotDone)
        }
        #expect(errorText(result).contains("A task cannot be set to NotDone"))
    }

    @Test("A block on main goes through the main queue, also when the caller is on main", arguments: [true, false])
    func main(isForSuccess: Bool) async {
        let log = Log()
        let task = await MainActor.run {
            let block: @Sendable (SwiftTask) throws -> Any? = { _ in
                dispatchPrecondition(condition: .onQueue(.main))
                log.write("ran")
                return nil
            }
            let task = SwiftTask(completionValue: .Result(nil))
            let continuation = isForSuccess ? task.completionTaskOnMainQueueWith(block) : task.dependentTaskOnMainQueueWith(block)
            log.write("returned")
            return continuation
        }
        await ended(task)
        #expect(log.lines == ["returned", "ran"])
    }

    @Test("A block receives the task that it continues")
    func identity() async {
        let source = Source()
        let task = source.task
        let isSame = task.dependentTaskWith { $0 === task }
        source.setResult(nil)
        await ended(isSame)
        #expect(isSame.result as? Bool == true)
    }

    @Test("MissingSwift.try runs the body, the handler if the body threw, and finally in any case")
    func missingSwift() {
        let log = Log()
        MissingSwift.try({ log.write("body") }, catch: { log.write("caught \($0)") }, finally: { log.write("finally") })
        MissingSwift.try({ throw Thrown() }, catch: { log.write("caught \($0)") }, finally: { log.write("finally") })
        MissingSwift.try({ throw Thrown() }, catch: { log.write("caught \($0)") })
        #expect(log.lines == ["body", "finally", "caught Thrown()", "finally", "caught Thrown()"])
    }

    private func word(for task: BFTask<AnyObject>) -> String {
        guard task.isCompleted else { return "pending" }
        if task.isCancelled { return "cancelled" }
        return task.error.map { "error \(type(of: $0))" } ?? "result"
    }
}
