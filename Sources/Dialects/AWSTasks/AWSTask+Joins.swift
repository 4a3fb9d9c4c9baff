import Foundation
import TaskRuntime

/// Joins. A join is one task and starts a chain.
extension AWSTask {
    /// Waits for all tasks, and succeeds with nil if all have succeeded. Without tasks it succeeds at once.
    ///
    /// **An error takes precedence over a cancellation.** A single error is passed on unchanged. Several become an `NSError` of domain
    /// `bolts` and code 80175001, with the errors under `errors` in the order of their occurrence.
    public convenience init(
        forCompletionOfAllTasks tasks: [AWSTask<AnyObject>]?, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let label = TaskLabel(name, or: "forCompletionOfAllTasks", fileID, line)
        self.init(chain: .all((tasks ?? []).map(\.chain), label) { nil })
    }

    /// Like `forCompletionOfAllTasks`, but succeeds with an `NSArray` of the results in the order of `tasks`, with `NSNull` for nil. If
    /// `tasks` is nil, the result is nil.
    public convenience init(
        forCompletionOfAllTasksWithResults tasks: [AWSTask<AnyObject>]?, name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        let label = TaskLabel(name, or: "forCompletionOfAllTasksWithResults", fileID, line)
        self.init(
            chain: .all((tasks ?? []).map(\.chain), label) {
                tasks.map { tasks in NSArray(array: tasks.map { $0.result ?? NSNull() }) }
            })
    }

    /// Succeeds with the first result. Without tasks it succeeds with nil at once.
    ///
    /// If no task succeeds, **a cancellation takes precedence over errors**, unlike in `forCompletionOfAllTasks`. Errors are passed on in
    /// the same way.
    public convenience init(
        forCompletionOfAnyTask tasks: [AWSTask<AnyObject>]?, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let label = TaskLabel(name, or: "forCompletionOfAnyTask", fileID, line)
        self.init(chain: .any((tasks ?? []).map(\.chain), label))
    }
}

extension AWSTask {
    /// A task that succeeds with nil after `millis` milliseconds, never before this returns.
    ///
    /// If the token is already cancelled, the task is cancelled at once. If it is cancelled later, the task is cancelled when its time has
    /// passed.
    public convenience init(
        delay millis: Int32, cancellationToken token: AWSCancellationToken? = nil, name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let label = TaskLabel(name, or: "delay", fileID, line)
        guard token?.isCancellationRequested != true else {
            self.init(chain: ChainTask(ended: .cancelled, label))
            return
        }
        self.init(
            chain: .delay(.milliseconds(millis), label) {
                token?.isCancellationRequested == true ? .token : .own(.success(ObjectResult(nil)))
            })
    }
}
