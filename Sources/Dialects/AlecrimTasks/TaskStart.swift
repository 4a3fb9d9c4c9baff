import TaskEvents
import TaskRuntime

/// Brings a task from its creation to its body's return: by its turn in its categories, its conditions, its queue, past its observers.
///
/// The original blocks a thread of the task's queue for all of that. Here none is: the task is sent to its queue when it may begin, and
/// until then is seen waiting. So it takes no place in a queue of limited width while it waits, and is not held up by a suspended one.
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
        // Held weakly, so that a task which nobody will finish can be released.
        task.chainTask.onEnd { [weak task, progress] in
            progress.finished(task, isCancelled: task?.chainTask.isCancelled ?? true)
        }
    }

    /// Begins with what has to be before the body; `refuse` is called if that does not let it run, from any thread.
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

    /// Calls `action` when the task has its turn in the categories that are among the conditions.
    private func awaitTurn(among conditions: [TaskCondition], _ action: @escaping @Sendable () -> Void) {
        let exclusive = conditions.compactMap { $0 as? MutuallyExclusiveTaskCondition }
        guard !exclusive.isEmpty else { return action() }
        let id = chainTask.id
        if let place = Exclusion.shared.enter(id, exclusive.map(\.categoryName)),
            let condition = exclusive.first(where: { $0.categoryName == place.category })
        {
            Emit.suspended(id, untilMet: condition.label, awaiting: place.predecessor)
        }
        Exclusion.shared.whenTurnComes(for: id, action)
        // The inspector may have cancelled the task before it stood in line, and so before there was a turn to give up.
        if chainTask.isCancelled { Exclusion.shared.leave(id) }
    }

    /// Sends the body to its queue. It runs there unless the task has been cancelled.
    func send() {
        let mayBegin: @Sendable () -> Bool = { [self] in !chainTask.isCancelled && progress.begin() }
        chainTask.send(to: executor, if: mayBegin) { [self] in
            progress.tellOfStart(task)
            body()
            progress.bodyReturned()
        }
    }
}
