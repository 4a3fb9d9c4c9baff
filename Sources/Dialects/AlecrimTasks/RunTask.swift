import Foundation
import TaskRuntime

// For the main thread, which must not wait. These functions start no task: every task starts by itself.

/// Calls `completionHandler` through `completionQueue` when the task has ended, with its value or with its error, which counts as read.
///
/// The call is a continuation of the task. Its name in the trace is `name`, by default the calling function. The original blocks a thread
/// of `queue` until the task has ended; here no thread is blocked, and the parameter has no effect.
public func runTask<V>(
    _ task: Task<V>, queue: OperationQueue? = nil, completionQueue: OperationQueue = .main, name: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
    completion completionHandler: (@Sendable (V?, (any Error)?) -> Void)? = nil
) {
    guard let completionHandler else { return }
    task.chainTask.continueWith(on: .operationQueue(completionQueue), name: name, fileID: fileID, line: line, function: function) { _ in
        completionHandler(task.value, task.error)
    }
}

/// Calls `completionHandler` through `completionQueue` when a task that cannot fail has ended, with its value.
public func runTask<V>(
    _ task: NonFailableTask<V>, queue: OperationQueue? = nil, completionQueue: OperationQueue = .main, name: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
    completion completionHandler: (@Sendable (V) -> Void)? = nil
) {
    guard let completionHandler else { return }
    task.chainTask.continueWith(on: .operationQueue(completionQueue), name: name, fileID: fileID, line: line, function: function) { _ in
        completionHandler(task.get())
    }
}
