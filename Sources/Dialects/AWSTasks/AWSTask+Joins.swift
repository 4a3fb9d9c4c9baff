import Foundation
import TaskRuntime

/// Tasks that wait for several. A join is one task and begins a chain of its own.
extension AWSTask {
    /// Succeeds with nil when all have succeeded, and waits for all in any case. No tasks, or nil: it has succeeded.
    ///
    /// **An error beats a cancellation.** One error is passed on as it is; several become an `NSError` of domain `bolts` and code 80175001,
    /// which has them under `errors` in the order in which they came.
    public convenience init(
        forCompletionOfAllTasks tasks: [AWSTask<AnyObject>]?, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let label = TaskLabel(name, or: "forCompletionOfAllTasks", fileID, line)
        self.init(chain: .all((tasks ?? []).map(\.chain), label) { nil })
    }

    /// As `forCompletionOfAllTasks`, and succeeds with an `NSArray` of the results in the order of `tasks`, where `NSNull` stands for nil.
    /// With nil for tasks the result is nil.
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

    /// Succeeds with the first result. No tasks, or nil: it has succeeded with nil.
    ///
    /// If none succeeds, **a cancellation beats the errors**, the other way round than for all; otherwise errors are passed on as there.
    public convenience init(
        forCompletionOfAnyTask tasks: [AWSTask<AnyObject>]?, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let label = TaskLabel(name, or: "forCompletionOfAnyTask", fileID, line)
        self.init(chain: .any((tasks ?? []).map(\.chain), label))
    }
}
