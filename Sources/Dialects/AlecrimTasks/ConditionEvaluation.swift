import TaskEvents
import TaskRuntime

/// Evaluates one task's conditions in order, on the pool for conditions. Blocks no thread.
final class ConditionEvaluation: Sendable {
    /// The reason why a task does not start.
    enum Refusal: Sendable {
        case notSatisfied
        case failed(any Error, EndCause)
    }

    /// The condition being evaluated.
    private struct Question {
        let task: AnyChainTask
        let condition: TaskCondition
        let number: Int
    }

    private struct State {
        let task: AnyChainTask
        /// In the order of their evaluation.
        let conditions: [TaskCondition]
        let conclude: @Sendable (Refusal?) -> Void
        private(set) var answered = 0

        var areAllAnswered: Bool { answered == conditions.count }

        var question: Question { Question(task: task, condition: conditions[answered], number: answered) }

        /// False unless this is the first answer to the current question.
        mutating func takeAnswer(to number: Int) -> Bool {
            guard number == answered else { return false }
            answered += 1
            return true
        }

        init(_ task: AnyChainTask, _ conditions: [TaskCondition], _ conclude: @escaping @Sendable (Refusal?) -> Void) {
            self.task = task
            self.conditions = conditions.flatMap(\.inOrder)
            self.conclude = conclude
        }
    }

    /// Nil after the evaluation has ended.
    private let state: Guarded<State?>

    private init(_ state: State) {
        self.state = Guarded(state)
    }

    /// Calls `conclude` with nil if all conditions are satisfied, otherwise with the first refusal. Never calls it if the task is
    /// cancelled.
    static func begin(_ conditions: [TaskCondition], of task: AnyChainTask, _ conclude: @escaping @Sendable (Refusal?) -> Void) {
        let evaluation = ConditionEvaluation(State(task, conditions, conclude))
        // Task and evaluation keep each other alive until one of them ends, because a condition may take any time to answer.
        task.onEnd { evaluation.stopIfCancelled() }
        evaluation.askNext()
    }

    private func stopIfCancelled() {
        // The state is released after unlocking, because that may deinitialise a task.
        _ = state.withLock { state -> State? in
            guard state?.task.isCancelled == true else { return nil }
            defer { state = nil }
            return state
        }
    }

    private func askNext() {
        Executors.conditions.execute { [self] in
            guard let question = state.withLock({ $0?.question }) else { return }
            var dependency: Task<Void>?
            question.task.perform { dependency = question.condition.dependencyTask() }
            if let dependency {
                wait(for: dependency, question)
            } else {
                ask(question)
            }
        }
    }

    private func wait(for dependency: Task<Void>, _ question: Question) {
        let (task, id) = (dependency.chainTask, question.task.id)
        Emit.antecedent(task.id, of: id, role: .input)
        Emit.suspended(id, untilMet: question.condition.label, awaiting: task.id)
        task.onEnd { [self] in
            if task.result != nil {
                Executors.conditions.execute { [self] in ask(question) }
            } else {
                take(Refusal(by: dependency), to: question)
            }
        }
    }

    private func ask(_ question: Question) {
        let label = question.condition.label
        Emit.suspended(question.task.id, untilMet: label)
        question.task.perform {
            question.condition.evaluate { [self] result in
                take(Refusal(result), to: question) { Emit.condition(label, of: question.task.id, result.event) }
            }
        }
    }

    /// Takes the first answer to a question, then asks the next one or concludes.
    private func take(_ refusal: Refusal?, to question: Question, _ announce: () -> Void = {}) {
        let answered = state.withLock { state -> State? in
            guard state?.takeAnswer(to: question.number) == true, let answered = state else { return nil }
            if refusal != nil || answered.areAllAnswered { state = nil }
            return answered
        }
        guard let answered else { return }
        announce()
        if refusal == nil, !answered.areAllAnswered {
            askNext()
        } else {
            answered.conclude(refusal)
        }
    }
}

extension ConditionEvaluation.Refusal {
    /// Nil for a satisfied condition.
    init?(_ result: TaskConditionResult) {
        switch result {
        case .Satisfied: return nil
        case .NotSatisfied: self = .notSatisfied
        case .Failed(let error): self = .failed(error, .own)
        }
    }

    /// The refusal by a dependency task that did not succeed.
    init(by dependency: Task<Void>) {
        let cause = EndCause.following(dependency.chainTask.id)
        switch dependency.unreadError {
        case TaskConditionError.NotSatisfied: self = .notSatisfied
        case TaskConditionError.Failed(let error): self = .failed(error, cause)
        case let error: self = .failed(error, cause)
        }
    }
}

extension TaskCondition {
    /// The condition after all its subconditions, depth first.
    fileprivate var inOrder: [TaskCondition] { subconditions.flatMap(\.inOrder) + [self] }
}
