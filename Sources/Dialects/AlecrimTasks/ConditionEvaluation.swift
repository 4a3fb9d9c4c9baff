import TaskEvents
import TaskRuntime

/// The evaluation of one task's conditions, one after the other, each on a thread for conditions. It blocks none.
final class ConditionEvaluation: Sendable {
    /// Why a task is not to begin.
    enum Refusal: Sendable {
        case notSatisfied
        case failed(any Error, EndCause)
    }

    /// One condition whose turn has come.
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

        /// Whether this is the first answer to the question that was asked last.
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

    /// Nil when it is over.
    private let state: Guarded<State?>

    private init(_ state: State) {
        self.state = Guarded(state)
    }

    /// Calls `conclude` when all conditions are satisfied, or with why the task is not to begin; not at all if it is cancelled meanwhile.
    static func begin(_ conditions: [TaskCondition], of task: AnyChainTask, _ conclude: @escaping @Sendable (Refusal?) -> Void) {
        let evaluation = ConditionEvaluation(State(task, conditions, conclude))
        // It keeps its task, and the task it, until one of them is over: nobody else may hold them while a condition keeps silent.
        task.onEnd { evaluation.stopIfCancelled() }
        evaluation.askNext()
    }

    private func stopIfCancelled() {
        // What it holds is let go after unlocking: that may be the last of a task.
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

    /// Takes the first answer to a question: goes on to the next one, or concludes.
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
    /// Nil for a condition that is satisfied.
    init?(_ result: TaskConditionResult) {
        switch result {
        case .Satisfied: return nil
        case .NotSatisfied: self = .notSatisfied
        case .Failed(let error): self = .failed(error, .own)
        }
    }

    /// For a dependency task that did not succeed.
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
    /// The subconditions, theirs before them, and last the condition itself.
    fileprivate var inOrder: [TaskCondition] { subconditions.flatMap(\.inOrder) + [self] }
}
