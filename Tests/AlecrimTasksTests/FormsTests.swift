import AlecrimTasks
import Foundation
import Testing
import TraceTestKit

/// Every form in which the original makes tasks and conditions, in the original's spelling. Half of the test is that they compile.
@Suite(.explored) struct FormsTests {
    private let queue = OperationQueue()
    private let condition = BooleanTaskCondition(1 < 2)
    private let observer = TaskObserver()

    @Test func allFormsOfFailableTasksExist() {
        let (queue, condition, observer) = (queue, condition, observer)
        let tasks: [Task<Int>] = [
            async { 4 },
            async(queue) { 4 },
            async(condition: condition) { 4 },
            async(queue, condition: condition) { 4 },
            async(conditions: [condition, condition]) { 4 },
            async(queue, conditions: [condition]) { 4 },
            async(observers: [observer]) { 4 },
            async(queue, observers: [observer]) { 4 },
            async(condition: condition, observers: [observer]) { 4 },
            async(queue, condition: condition, observers: [observer]) { 4 },
            async(conditions: [condition], observers: [observer]) { 4 },
            async(queue, conditions: [condition], observers: [observer]) { 4 },
            asyncEx { $0.finishWithValue(4) },
            asyncEx(queue) { $0.finishWithValue(4) },
            asyncEx(condition: condition) { $0.finishWithValue(4) },
            asyncEx(queue, condition: condition) { $0.finishWithValue(4) },
            asyncEx(conditions: [condition]) { $0.finishWithValue(4) },
            asyncEx(queue, conditions: [condition]) { $0.finishWithValue(4) },
            asyncEx(observers: [observer]) { $0.finishWithValue(4) },
            asyncEx(queue, observers: [observer]) { $0.finishWithValue(4) },
            asyncEx(condition: condition, observers: [observer]) { $0.finishWithValue(4) },
            asyncEx(queue, condition: condition, observers: [observer]) { $0.finishWithValue(4) },
            asyncEx(conditions: [condition], observers: [observer]) { $0.finishWithValue(4) },
            asyncEx(queue, conditions: [condition], observers: [observer]) { $0.finishWithValue(4) },
        ]
        for (number, task) in tasks.enumerated() {
            #expect(outcome(of: task) == "value 4", "form \(number)")
        }
    }

    @Test func allFormsOfNonFailableTasksExist() {
        let (queue, observer) = (queue, observer)
        let tasks: [NonFailableTask<Int>] = [
            async { 4 },
            async(queue) { 4 },
            async(observers: [observer]) { 4 },
            async(queue, observers: [observer]) { 4 },
            asyncEx { $0.finishWithValue(4) },
            asyncEx(queue) { $0.finishWithValue(4) },
            asyncEx(observers: [observer]) { $0.finishWithValue(4) },
            asyncEx(queue, observers: [observer]) { $0.finishWithValue(4) },
        ]
        for (number, task) in tasks.enumerated() {
            #expect(`await`(task) == 4, "form \(number)")
        }
    }

    /// If nothing else decides it, a body that throws makes a failable task, and a body that does not throw makes a non-failable one.
    @Test func theBodyDecidesTheKindOfTask() {
        let failable = async { throw Boom() }
        #expect(type(of: failable) == Task<Void>.self && outcome(of: failable) == "error boom")
        let nonFailable = async { 4 }
        #expect(type(of: nonFailable) == NonFailableTask<Int>.self && `await`(nonFailable) == 4)
    }

    @Test func allFormsOfConditionsExist() {
        @Sendable func asyncDependency() -> Task<Void> { async {} }
        let condition = condition
        let conditions: [TaskCondition] = [
            TaskCondition { result in result(.Satisfied) },
            TaskCondition(evaluationClosure: { result in result(.Satisfied) }),
            TaskCondition(dependencyTask: asyncDependency()) { result in result(.Satisfied) },
            TaskCondition(subcondition: condition) { result in result(.Satisfied) },
            TaskCondition(subcondition: condition, dependencyTask: asyncDependency()) { result in result(.Satisfied) },
            TaskCondition(subconditions: [condition, condition]) { result in result(.Satisfied) },
            TaskCondition(subconditions: [condition], dependencyTask: asyncDependency()) { result in result(.Satisfied) },
            TaskCondition(subconditions: nil, dependencyTask: nil) { result in result(.Satisfied) },
            MutuallyExclusiveTaskCondition("forms"),
            MutuallyExclusiveTaskCondition(.Alert),
            DelayTaskCondition(timeInterval: 0),
            DelayTaskCondition(timeInterval: 0, tolerance: 0.1),
            SilentTaskCondition(condition),
            NegateTaskCondition(BooleanTaskCondition(1 > 2)),
            Weekday(isOpen: true),
        ]
        let task: Task<Int> = async(conditions: conditions) { 4 }
        #expect(outcome(of: task) == "value 4")
        #expect(MutuallyExclusiveTaskCondition("forms").categoryName == "forms")
        #expect(
            MutuallyExclusiveTaskCondition(.Alert).categoryName
                == "com.alecrim.AlecrimAsyncKit.MutuallyExclusiveTaskCondition.DefaultCategory.Alert")
    }

    /// The README: "provides some predefined conditions, but you can create others." The same holds for observers.
    @Test func customConditionsAndObserversCanBeMade() async {
        let finished = Counter()
        let closed: Task<Int> = async(condition: Weekday(isOpen: false), observers: [FinishCounter(finished)]) { 4 }
        #expect(outcome(of: closed) == cancelled)
        let open: Task<Int> = async(condition: Weekday(isOpen: true), observers: [FinishCounter(finished)]) { 4 }
        #expect(outcome(of: open) == "value 4")
        #expect(await eventually { finished.value == 1 })
    }
}

private final class Weekday: TaskCondition, @unchecked Sendable {
    init(isOpen: Bool) {
        super.init { result in result(isOpen ? .Satisfied : .NotSatisfied) }
    }
}

private final class FinishCounter: TaskObserver, @unchecked Sendable {
    init(_ counter: Counter) {
        super.init()
        didFinish { _ in counter.add(1) }
    }
}
