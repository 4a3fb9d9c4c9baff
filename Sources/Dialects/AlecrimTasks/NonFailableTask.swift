import TaskEvents
import TaskRuntime

/// A task that always ends with a value: it cannot fail or be cancelled, and has no conditions. `async` and `asyncEx` make it.
public final class NonFailableTask<V: Sendable>: BaseTask<V>, NonFailableTaskType, @unchecked Sendable {
    /// Starts `body`, which may return before it ends the task.
    init(
        _ chainTask: ChainTask<V>, on executor: ChainExecutor, _ observers: [TaskObserver],
        _ body: @escaping @Sendable (NonFailableTask<V>) -> Void
    ) {
        super.init(chainTask)
        TaskStart(of: self, on: executor, observers) { [self] in body(self) }.send()
    }

    /// Blocks the calling thread until `task` has ended, and ends this task with its value.
    @available(*, noasync, message: "it blocks the thread")
    public func continueWithTask(_ task: NonFailableTask<V>) {
        Emit.antecedent(task.chainTask.id, of: chainTask.id, role: .inner)
        task.waitForCompletion()
        end(with: task.get(), .following(task.chainTask.id))
    }

    /// The value; the task must have ended.
    func get() -> V {
        guard let value = chainTask.result else {
            fatalError("A non-failable task ended without a value; only the inspector can cause this.")
        }
        return value
    }
}
