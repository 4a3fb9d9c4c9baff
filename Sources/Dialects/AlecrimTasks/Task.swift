import TaskEvents
import TaskRuntime

/// A task that ends with a value or with an error, and can be cancelled. It is made by `async` or `asyncEx`, and starts by itself.
///
/// `import AlecrimTasks` makes this the meaning of `Task`; Swift's own is then `_Concurrency.Task`.
public final class Task<V: Sendable>: BaseTask<V>, FailableTaskType, @unchecked Sendable {
    /// Sends `body` on its way. It may return before the task has ended, or never end it.
    init(
        _ chainTask: ChainTask<V>, on executor: ChainExecutor, _ conditions: [TaskCondition], _ observers: [TaskObserver],
        _ body: @escaping @Sendable (Task<V>) -> Void
    ) {
        super.init(chainTask)
        let start = TaskStart(of: self, on: executor, observers) { [self] in body(self) }
        start.begin(conditions) { [self] refusal in
            switch refusal {
            case .notSatisfied: cancel()
            case .failed(let error, let cause): end(with: error, cause)
            }
        }
    }

    /// Whether it ended with an error of code `NSUserCancelledError`, whatever the error's domain. A body asks this to know that nobody
    /// waits for its result.
    public var cancelled: Bool { chainTask.isCancelled }

    // MARK: Ending it

    /// An error with the code `NSUserCancelledError` cancels the task.
    public func finishWithError(_ error: any Error, fileID: StaticString = #fileID, line: UInt = #line) {
        end(with: error, .set(Emit.label(name: nil, or: "finishWithError", fileID: fileID, line: line)))
    }

    /// For the completion handlers of others: the error wins if there are both. There has to be one of them; without, the program ends (the
    /// original asserts it in debug builds, and in others ends where the value is used).
    public func finishWithValue(_ value: V?, error: (any Error)?, fileID: StaticString = #fileID, line: UInt = #line) {
        if let error {
            finishWithError(error, fileID: fileID, line: line)
        } else if let value {
            finishWithValue(value, fileID: fileID, line: line)
        } else {
            precondition(finished, "Invalid combination of value/error.")
        }
    }

    /// Ends the task with an error of domain `com.alecrim.AlecrimAsyncKit` and code `NSUserCancelledError`, unless it has ended.
    ///
    /// That stops nothing which has begun: a body has to look at ``cancelled``. A body that has not begun never will. (The seed's text says
    /// that a task can be cancelled only once it runs; the library looks before it begins.)
    public func cancel() {
        endCancelled()
    }

    /// Blocks the calling thread until `task` has ended, and ends this one as it did.
    @available(*, noasync, message: "it blocks the thread")
    public func continueWithTask(_ task: Task<V>) {
        Emit.antecedent(task.chainTask.id, of: chainTask.id, role: .inner)
        task.waitForCompletion()
        let cause = EndCause.following(task.chainTask.id)
        if let value = task.chainTask.result {
            end(with: value, cause)
        } else {
            end(with: task.unreadError, cause)
        }
    }

    // MARK: For those who wait

    /// The value of a task that has ended; its error, which counts as read, is thrown.
    func get() throws -> V {
        if let value = chainTask.result { return value }
        throw error ?? unreadError
    }

    /// The error of a task that has ended without a value.
    var unreadError: any Error { chainTask.unreadError ?? cancellationError }
}
