import AlecrimTasks
import Foundation
import TaskRuntime
import Testing
import TraceTestKit

/// Conditions decide whether a task begins.
@Suite(.explored) struct ConditionTests {
    enum Result: String, CaseIterable, Sendable {
        case satisfied, notSatisfied, failed, failedWithError

        var value: TaskConditionResult {
            switch self {
            case .satisfied: .Satisfied
            case .notSatisfied: .NotSatisfied
            case .failed: .Failed(Boom())
            case .failedWithError: .FailedWithError(Boom())
            }
        }

        /// The outcome of a task with that condition.
        var outcome: String {
            switch self {
            case .satisfied: "value 4"
            case .notSatisfied: cancelled
            case .failed, .failedWithError: "error boom"
            }
        }

        var condition: TaskCondition {
            TaskCondition { [value] result in result(value) }
        }
    }

    /// A way to derive a condition from others, and its results.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (Result) -> TaskCondition
        let outcome: @Sendable (Result) -> String

        static func handingOn(_ name: String, _ make: @escaping @Sendable (Result) -> TaskCondition) -> Kind {
            Kind(testDescription: name, make: make) { $0.outcome }
        }

        static func negating(_ name: String, _ make: @escaping @Sendable (Result) -> TaskCondition) -> Kind {
            Kind(testDescription: name, make: make) { $0 == .satisfied ? cancelled : "value 4" }
        }
    }

    static let kinds: [Kind] = [
        .handingOn("evaluationClosure") { $0.condition },
        .handingOn("evaluationClosure, answering later from another thread") { result in
            TaskCondition { answer in
                let _: NonFailableTask<Void> = async { answer(result.value) }
            }
        },
        .handingOn("evaluationClosure, answering twice") { result in
            TaskCondition { answer in
                answer(result.value)
                answer(.Satisfied)
                answer(.Failed(Boom("late")))
            }
        },
        .handingOn("dependencyTask that succeeds") { result in
            TaskCondition(dependencyTask: async {}) { $0(result.value) }
        },
        .handingOn("no dependencyTask") { result in TaskCondition(dependencyTask: nil) { $0(result.value) } },
        .handingOn("subcondition") { result in TaskCondition(subcondition: result.condition) { $0(.Satisfied) } },
        .handingOn("satisfied subcondition") { result in
            TaskCondition(subcondition: BooleanTaskCondition(1 < 2)) { $0(result.value) }
        },
        .handingOn("subcondition and dependencyTask") { result in
            TaskCondition(subcondition: result.condition, dependencyTask: async {}) { $0(.Satisfied) }
        },
        .handingOn("subconditions") { result in
            TaskCondition(subconditions: [BooleanTaskCondition(1 < 2), result.condition]) { $0(.Satisfied) }
        },
        .handingOn("no subconditions") { result in TaskCondition(subconditions: []) { $0(result.value) } },
        .handingOn("subconditions and dependencyTask") { result in
            TaskCondition(subconditions: [result.condition], dependencyTask: async {}) { $0(.Satisfied) }
        },
        .handingOn("nested three deep") { result in
            TaskCondition(subcondition: TaskCondition(subcondition: result.condition) { $0(.Satisfied) }) { $0(.Satisfied) }
        },
        .handingOn("silent") { SilentTaskCondition($0.condition) },
        .handingOn("silent, with a dependency that would fail") { result in
            SilentTaskCondition(TaskCondition(dependencyTask: async { throw Boom("dependency") }) { $0(result.value) })
        },
        .handingOn("silent keeps subconditions") { result in
            SilentTaskCondition(TaskCondition(subcondition: result.condition) { $0(.Satisfied) })
        },
        .handingOn("silent negates nothing") { SilentTaskCondition(NegateTaskCondition($0.condition)) },
        .negating("negated") { NegateTaskCondition($0.condition) },
        .negating("negated twice is negated once") { NegateTaskCondition(NegateTaskCondition($0.condition)) },
        .negating("negated silent") { NegateTaskCondition(SilentTaskCondition($0.condition)) },
        .negating("negated as a subcondition") { result in
            TaskCondition(subcondition: NegateTaskCondition(result.condition)) { $0(.Satisfied) }
        },
        .negating("negated, with a dependency that succeeds") { result in
            NegateTaskCondition(TaskCondition(dependencyTask: async {}) { $0(result.value) })
        },
        Kind(
            testDescription: "negated, its subconditions are not",
            make: { result in
                NegateTaskCondition(TaskCondition(subcondition: result.condition) { $0(.NotSatisfied) })
            }, outcome: { $0.outcome }),
        .handingOn("exclusive") { result in
            TaskCondition(subcondition: MutuallyExclusiveTaskCondition("nested in a table")) { $0(result.value) }
        },
    ]

    @Test(arguments: kinds, Result.allCases)
    func theResultDecidesTheTask(kind: Kind, result: Result) {
        let ran = Counter()
        let expected = kind.outcome(result)
        let one: Task<Int> = async(condition: kind.make(result)) {
            ran.add(1)
            return 4
        }
        #expect(outcome(of: one) == expected)
        let list: Task<Int> = asyncEx(conditions: [BooleanTaskCondition(1 < 2), kind.make(result)]) { task in
            ran.add(1)
            task.finishWithValue(4)
        }
        #expect(outcome(of: list) == expected)
        #expect(ran.value == (expected == "value 4" ? 2 : 0))
    }

    @Test func aNegatedCategoryCancelsAndASilentCategoryIsSatisfied() {
        let negated: Task<Int> = async(condition: NegateTaskCondition(MutuallyExclusiveTaskCondition("negated"))) { 4 }
        #expect(outcome(of: negated) == cancelled)
        let silent: Task<Int> = async(condition: SilentTaskCondition(MutuallyExclusiveTaskCondition("silent"))) { 4 }
        #expect(outcome(of: silent) == "value 4")
    }

    // MARK: Dependencies

    @Test(arguments: [
        ("error", "error boom"), ("cancelled", cancelled), ("not satisfied", cancelled), ("failed", "error inner"),
        ("own not satisfied", cancelled),
    ])
    func aDependencyThatFailsDecidesTheTaskBeforeTheConditionIsEvaluated(how: String, expected: String) {
        let log = Log()
        let condition = TaskCondition(dependencyTask: Self.dependency(how)) { result in
            log.add("evaluated")
            result(.Satisfied)
        }
        let task: Task<Int> = async(conditions: [condition, TaskCondition { _ in log.add("next") }]) { 4 }
        #expect(outcome(of: task) == expected)
        // Negation applies to the condition, not to its dependency.
        let negated: Task<Int> = async(condition: NegateTaskCondition(condition)) { 4 }
        #expect(outcome(of: negated) == expected)
        #expect(log.lines.isEmpty)
    }

    private static func dependency(_ how: String) -> Task<Void> {
        switch how {
        case "error": async { throw Boom() }
        case "cancelled": asyncEx { $0.cancel() }
        case "not satisfied": async { throw TaskConditionError.NotSatisfied }
        case "failed": async { throw TaskConditionError.Failed(Boom("inner")) }
        default: async(condition: BooleanTaskCondition(1 > 2)) {}
        }
    }

    @Test func eachTaskGetsADependencyOfItsOwn() {
        let made = Counter()
        @Sendable func asyncDependency() -> Task<Void> {
            made.add(1)
            return async {}
        }
        let condition = TaskCondition(dependencyTask: asyncDependency()) { $0(.Satisfied) }
        #expect(made.value == 0)
        let tasks: [Task<Int>] = (0..<3).map { number in async(condition: condition) { number } }
        #expect(tasks.map { outcome(of: $0) } == ["value 0", "value 1", "value 2"])
        #expect(made.value == 3)
    }

    // MARK: Order

    @Test func conditionsAreEvaluatedInOrderAfterTheirDependencies() {
        let log = Log()
        @Sendable func condition(_ name: String, _ subconditions: [TaskCondition] = [], _ result: Result = .satisfied) -> TaskCondition {
            TaskCondition(subconditions: subconditions, dependencyTask: async { log.add("\(name) dependency") }) { answer in
                log.add(name)
                answer(result.value)
            }
        }
        let task: Task<Int> = async(
            conditions: [
                condition("a", [condition("a1"), condition("a2", [condition("a21")])]), condition("b"), condition("c", [], .failed),
                condition("d"),
            ]
        ) {
            log.add("body")
            return 4
        }
        #expect(outcome(of: task) == "error boom")
        #expect(log.lines == ["a1", "a21", "a2", "a", "b", "c"].flatMap { ["\($0) dependency", $0] })
    }

    @Test func aConditionIsEvaluatedForEachTask() {
        let isOpen = Cell(false)
        let condition = BooleanTaskCondition(isOpen.value)
        let before: Task<Int> = async(condition: condition) { 4 }
        #expect(outcome(of: before) == cancelled)
        isOpen.value = true
        let after: Task<Int> = async(condition: condition) { 4 }
        #expect(outcome(of: after) == "value 4")
    }

    @Test func aTaskCancelledWhileItWaitsEvaluatesNoFurtherConditions() async {
        let (log, asked) = (Log(), Barrier())
        let answer = Cell<(@Sendable (TaskConditionResult) -> Void)?>(nil)
        let slow = TaskCondition { result in
            answer.value = result
            asked.open()
        }
        let task: Task<Int> = async(conditions: [slow, TaskCondition { _ in log.add("next") }]) {
            log.add("body")
            return 4
        }
        pass(asked)
        task.cancel()
        answer.value?(.Satisfied)
        #expect(outcome(of: task) == cancelled)
        // Any later condition would have been sent to the queue before this job.
        let later: Task<Int> = async(condition: BooleanTaskCondition(1 < 2)) { 4 }
        #expect(outcome(of: later) == "value 4")
        #expect(log.lines.isEmpty)
    }

    // MARK: Time

    @Test("Delay: the condition is satisfied when its time has passed")
    func aDelayIsSatisfiedWhenItsTimeHasPassed() async {
        let timers = VirtualTimers()
        let condition = Timers.$current.withValue(timers) { DelayTaskCondition(timeInterval: 2) }
        let task: Task<Int> = async(condition: condition) { 4 }
        #expect(await eventually { timers.count == 1 })
        timers.advance(by: .milliseconds(1_999))
        #expect(!task.finished && timers.count == 1)
        timers.advance(by: .milliseconds(1))
        #expect(outcome(of: task) == "value 4")
    }

    /// A waiting task blocks no thread, so more tasks may wait than there are threads.
    @Test func waitingTasksNeedNoThreads() async {
        let answers = Cell<[@Sendable (TaskConditionResult) -> Void]>([])
        let condition = TaskCondition { result in answers.change { $0.append(result) } }
        let tasks: [Task<Int>] = (0..<300).map { number in async(condition: condition) { number } }
        #expect(await eventually { answers.value.count == 300 })
        for answer in answers.value { answer(.Satisfied) }
        #expect(tasks.map { outcome(of: $0) } == (0..<300).map { "value \($0)" })
    }

    private func pass(_ barrier: Barrier) { barrier.pass() }
}
