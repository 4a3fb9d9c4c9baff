import TaskEvents
import TaskRuntime

/// A task that ends with a value: it has no error, no conditions, and cannot be cancelled. It is made by `async` or `asyncEx`.
public final class NonFailableTask<V: Sendable>: BaseTask<V>, NonFailableTaskType, @unchecked Sendable {
    /// Sends `body` on its way. It may return before the task has ended, or never end it.
    init(
        _ chainTask: ChainTask<V>, on executor: ChainExecutor, _ observers: [TaskObserver],
        _ body: @escaping @Sendable (NonFailableTask<V>) -> Void
    ) {
        super.init(chainTask)
        TaskStart(of: self, on: executor, observers) { [self] in body(self) }.send()
    }

    /// Blocks the calling thread until `task` has ended, and ends this one with its value.
    @available(*, noasync, message: "it blocks the thread")
    public func continueWithTask(_ task: NonFailableTask<V>) {
        Emit.antecedent(task.chainTask.id, of: chainTask.id, role: .inner)
        task.waitForCompletion()
        end(with: task.get(), .following(task.chainTask.id))
    }

    /// The value of a task that has ended.
    func get() -> V {
        guard let value = chainTask.result else {
            fatalError("A non-failable task ended without a value, which only the inspector can make it do.")
        }
        return value
    }
}
