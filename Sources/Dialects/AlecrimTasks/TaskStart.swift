import TaskEvents
import TaskRuntime

/// Takes a task from its creation to its body's return: its turn in its categories, its conditions, its queue, its observers.
///
/// The original blocks a thread of the task's queue meanwhile. Here a task enters its queue only when it may start, so a waiting task takes
/// no place in a queue of limited width, and a suspended queue does not delay its conditions.
final class TaskStart: Sendable {
    private let task: any TaskType
    private let chainTask: AnyChainTask
    private let executor: ChainExecutor
    private let progress: TaskProgress
    private let body: @Sendable () -> Void

    init<V>(of task: BaseTask<V>, on executor: ChainExecutor, _ observers: [TaskObserver], _ body: @escaping @Sendable () -> Void) {
        self.task = task
        chainTask = task.chainTask
        self.executor = executor
        self.body = body
        progress = TaskProgress(of: task.chainTask.id, observers)
        // Weak, so that a task that never finishes can be released.
        task.chainTask.onEnd { [weak task, progress] in
            progress.finished(task, isCancelled: task?.chainTask.isCancelled ?? true)
        }
    }

    /// Waits for the turn, then evaluates the conditions. Calls `refuse`, on any thread, if they prevent the start.
    func begin(_ conditions: [TaskCondition], orElse refuse: @escaping @Sendable (ConditionEvaluation.Refusal) -> Void) {
        guard !conditions.isEmpty else { return send() }
        awaitTurn(among: conditions) { [self] in
            ConditionEvaluation.begin(conditions, of: chainTask) { [self] refusal in
                Emit.resumed(chainTask.id)
                guard let refusal else { return send() }
                progress.abandon()
                refuse(refusal)
            }
        }
    }

    /// Calls `action` when the task has its turn in all categories among the conditions.
    private func awaitTurn(among conditions: [TaskCondition], _ action: @escaping @Sendable () -> Void) {
        let exclusive = conditions.compactMap { $0 as? MutuallyExclusiveTaskCondition }
        guard !exclusive.isEmpty else { return action() }
        let id = chainTask.id
        if let turn = Exclusion.shared.enter(id, exclusive.map(\.categoryName)),
            let condition = exclusive.first(where: { $0.categoryName == turn.category })
        {
            Emit.suspended(id, untilMet: condition.label, awaiting: turn.predecessor)
        }
        Exclusion.shared.whenTurnComes(for: id, action)
        // The inspector may have cancelled the task before it entered the lines.
        if chainTask.isCancelled { Exclusion.shared.leave(id) }
    }

    /// Enqueues the body, which runs unless the task has been cancelled.
    func send() {
        let mayBegin: @Sendable () -> Bool = { [self] in !chainTask.isCancelled && progress.begin() }
        chainTask.send(to: executor, if: mayBegin) { [self] in
            progress.tellOfStart(task)
            body()
            progress.bodyReturned()
        }
    }
}

extension Task {
    /// Starts `body`, which may return before it ends the task.
    convenience init(
        _ chainTask: ChainTask<V>, on executor: ChainExecutor, _ conditions: [TaskCondition], _ observers: [TaskObserver],
        _ body: @escaping @Sendable (Task<V>) -> Void
    ) {
        self.init(chainTask)
        let start = TaskStart(of: self, on: executor, observers) { [self] in body(self) }
        start.begin(conditions) { [self] refusal in
            switch refusal {
            case .notSatisfied: cancel()
            case .failed(let error, let cause): end(with: error, cause)
            }
        }
    }
}

extension NonFailableTask {
    /// Starts `body`, which may return before it ends the task.
    convenience init(
        _ chainTask: ChainTask<V>, on executor: ChainExecutor, _ observers: [TaskObserver],
        _ body: @escaping @Sendable (NonFailableTask<V>) -> Void
    ) {
        self.init(chainTask)
        TaskStart(of: self, on: executor, observers) { [self] in body(self) }.send()
    }
}
