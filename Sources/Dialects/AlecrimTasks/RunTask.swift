import Foundation
import TaskRuntime

// For the main thread, which may not wait. These start nothing: a task has started by itself.

/// Has `completionHandler` called on `completionQueue`, through the queue in any case, when the task has ended: with its value, or with its
/// error, which is read by that.
///
/// The call is a continuation of the task, which the trace calls `name`, or without one after the calling function. The original blocks a
/// thread of `queue` until the task has ended; here none is blocked, and the parameter is there for the original's sake.
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

/// Likewise for a task that cannot fail.
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
