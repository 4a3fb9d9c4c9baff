import TaskEvents
import TaskRuntime

/// A task that ends with a value or an error, and can be cancelled. `async` and `asyncEx` make and start it.
///
/// In a file that imports `AlecrimTasks`, `Task` is this type and Swift's own is `_Concurrency.Task`.
public final class Task<V: Sendable>: BaseTask<V>, FailableTaskType, @unchecked Sendable {
    /// Whether the task ended with an error of code `NSUserCancelledError`, whatever its domain. A body should check this.
    public var cancelled: Bool { chainTask.isCancelled }

    // MARK: Ending

    /// An error with the code `NSUserCancelledError` cancels the task.
    public func finishWithError(_ error: any Error, fileID: StaticString = #fileID, line: UInt = #line) {
        end(with: error, .set(Emit.label(name: nil, or: "finishWithError", fileID: fileID, line: line)))
    }

    /// Finishes the task from a completion handler. The error wins if both are given. Traps if neither is given. (The original asserts this
    /// in debug builds; in release builds it traps where the value is used.)
    public func finishWithValue(_ value: V?, error: (any Error)?, fileID: StaticString = #fileID, line: UInt = #line) {
        if let error {
            finishWithError(error, fileID: fileID, line: line)
        } else if let value {
            finishWithValue(value, fileID: fileID, line: line)
        } else {
            precondition(finished, "Invalid combination of value/error.")
        }
    }

    /// Ends the task, unless it has ended, with an error of domain `com.alecrim.AlecrimAsyncKit` and code `NSUserCancelledError`.
    ///
    /// A body that runs is not stopped and should check ``cancelled``. A body that has not started never starts. (The original's README
    /// says that only a running task can be cancelled; its code checks before the start.)
    public func cancel() {
        endCancelled()
    }

    /// Blocks the calling thread until `task` has ended, and ends this task the same way.
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

    // MARK: For `await`

    /// The value; the task must have ended. Throws its error, which counts as read.
    func get() throws -> V {
        if let value = chainTask.result { return value }
        throw error ?? unreadError
    }

    /// The error; the task must have ended without a value. This access does not count as reading it.
    var unreadError: any Error { chainTask.unreadError ?? cancellationError }
}

/// A task that always ends with a value: it cannot fail or be cancelled, and has no conditions. `async` and `asyncEx` make it.
public final class NonFailableTask<V: Sendable>: BaseTask<V>, NonFailableTaskType, @unchecked Sendable {
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
