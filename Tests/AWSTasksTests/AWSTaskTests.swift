import AWSTasks
import Foundation
import Testing

@Suite struct AWSTaskTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable () -> Task
        let outcome: String
        let isCompleted: Bool
        let isFaulted: Bool
        let isCancelled: Bool
        let description: String
    }

    static let rows = [
        Row(
            testDescription: "init(result:)", make: { Task(result: "value".object) }, outcome: "result value", isCompleted: true,
            isFaulted: false, isCancelled: false, description: "completed = YES; cancelled = NO; faulted = NO; result = value>"),
        Row(
            testDescription: "init(result: nil)", make: { Task(result: nil) }, outcome: "result nil", isCompleted: true,
            isFaulted: false, isCancelled: false, description: "completed = YES; cancelled = NO; faulted = NO; result = (null)>"),
        Row(
            testDescription: "init(error:)", make: { Task(error: failure) }, outcome: "error -1", isCompleted: true, isFaulted: true,
            isCancelled: false, description: "completed = YES; cancelled = NO; faulted = YES; result = (null)>"),
        Row(
            testDescription: "init(error: CancellationError())", make: { Task(error: CancellationError()) }, outcome: "error 1",
            isCompleted: true, isFaulted: true, isCancelled: false,
            description: "completed = YES; cancelled = NO; faulted = YES; result = (null)>"),
        Row(
            testDescription: "cancelled()", make: { Task.cancelled() }, outcome: "cancelled", isCompleted: true, isFaulted: false,
            isCancelled: true, description: "completed = YES; cancelled = YES; faulted = NO; result = (null)>"),
        Row(
            testDescription: "a source's", make: { Source().task }, outcome: "pending", isCompleted: false, isFaulted: false,
            isCancelled: false, description: "completed = NO; cancelled = NO; faulted = NO;>"),
    ]

    @Test("A task reports its outcome", arguments: rows)
    func properties(_ row: Row) {
        let task = row.make()
        #expect(task.isCompleted == row.isCompleted)
        #expect(task.isFaulted == row.isFaulted)
        #expect(task.isCancelled == row.isCancelled)
        #expect((task.error == nil) == !row.isFaulted)
        #expect(task.description.hasPrefix("<AWSTask: 0x"))
        #expect(task.description.hasSuffix("; \(row.description)"))
        if !(task.error is CancellationError) { #expect(outcome(task) == row.outcome) }
    }

    @Test("A task's error is the object it was given, whatever the error's type")
    func errors() {
        enum Failure: Error { case some }
        #expect(Task(error: failure).error as? NSError === failure)
        #expect(Task(error: Failure.some).error as? Failure == .some)
    }

    @Test("Swift values become objects and cast back")
    func values() {
        struct Point: Equatable { let x = 1 }
        #expect(Task(result: nil).continueWith { _ in 3 }.result as? Int == 3)
        #expect(Task(result: nil).continueWith { _ in "three" }.result is NSString)
        #expect(Task(result: nil).continueWith { _ in [1, 2] }.result as? [Int] == [1, 2])
        #expect(Task(result: nil).continueWith { _ in Point() }.result as? Point == Point())
        #expect(Task(result: nil).continueWith { _ in NSNull() }.result is NSNull)
        #expect(Task(result: nil).continueWith { _ in Log().write("no value") }.result == nil)
    }

    @Test("A task stays the same task when it is viewed with another result type")
    func casts() {
        let typed = AWSTask<NSString>(result: "typed")
        let untyped = AWSTask<AnyObject>(typed)
        #expect(untyped == typed)
        #expect(Set([untyped, Task(typed)]).count == 1)
        #expect(untyped.result as? String == "typed")
        #expect(outcome(Task(forCompletionOfAllTasks: [typed].map(Task.init))) == "result nil")
        #expect(Task(result: nil) != Task(result: nil))
    }

    @Test("Reading a result of another type than the task declares ends the program")
    func wrongType() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let task = AWSTask<NSString>(Task(result: NSNumber(value: 3)))
            _ = task.result
        }
        #expect(errorText(result).contains("The result of this AWSTask<NSString> is NSNumber: 3"))
    }

    @Test("A block receives the task that it continues")
    func identity() {
        let source = Source()
        let task = source.task
        let isSame = task.continueWith { $0 === task }
        let isSameAfterCast = Task(AWSTask<NSString>(task)).continueWith { $0 == task }
        source.set(result: nil)
        #expect(isSame.result as? Bool == true)
        #expect(isSameAfterCast.result as? Bool == true)
    }

    @Test("A task made from an executor runs its block there and follows the task that the block returns")
    func fromExecutor() {
        let jobs = Jobs()
        let task = Task(from: jobs.executor(), with: { "ran" })
        #expect(outcome(task) == "pending")
        jobs.run()
        #expect(outcome(task) == "result ran")
        #expect(outcome(Task(from: .immediate(), with: { Task(error: failure) })) == "error -1")
        #expect(outcome(Task(from: .immediate(), with: { AWSTask<NSString>?.none as Any })) == "result nil")
        #expect(outcome(Task(from: .immediate())) == "result nil")
    }

    @Test("Waiting on main logs a warning, also for a task that has ended")
    func waitingOnMain() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            await MainActor.run { Task(result: nil).waitUntilFinished() }
        }
        #expect(errorText(result).contains("Warning: A long-running operation is being executed on the main thread. \n Break on"))
    }

    @Test("The BF names are aliases of the same types")
    func boltsNames() {
        #expect(BFTask<NSString>.self == AWSTask<NSString>.self)
        #expect(BFTaskCompletionSource<NSString>.self == AWSTaskCompletionSource<NSString>.self)
        #expect(BFExecutor.default() === AWSExecutor.default())
        #expect(BFCancellationTokenSource.self == AWSCancellationTokenSource.self)
        #expect(BFCancellationToken.self == AWSCancellationToken.self)
        #expect(BFCancellationTokenRegistration.self == AWSCancellationTokenRegistration.self)
        #expect((BFTaskErrorDomain, kBFMultipleErrorsError) == ("bolts", 80_175_001))
        #expect(BFTaskMultipleErrorsUserInfoKey == "errors")
    }
}
