import Foundation
import TaskRuntime

/// Ends a task from outside. Any thread may use it.
///
/// `set` and `cancel` return when all inline continuations have run. On an ended task they trap with the original's message. Releasing a
/// source before it ends its task leaves the task pending, as in the original; the trace records it.
public final class AWSTaskCompletionSource<ResultType: AnyObject>: NSObject, @unchecked Sendable {
    // Unchecked because of NSObject; all properties are immutable.

    /// The source's task.
    public let task: AWSTask<ResultType>

    /// The task's name is by default the calling function.
    public init(name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function) {
        task = AWSTask(chain: .source(TaskLabel(name, or: function, fileID, line)))
    }

    // MARK: Setting

    /// Ends the task with a result.
    public func set(result: ResultType?, fileID: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.success(ObjectResult(result)), or: "Cannot set the result on a completed task.", fileID, line)
    }

    /// Fails the task.
    public func set(error: any Error, fileID: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.faulted(error), or: "Cannot set the error on a completed task.", fileID, line)
    }

    /// Ends the task as cancelled.
    public func cancel(fileID: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.cancelled, or: "Cannot cancel a completed task.", fileID, line)
    }

    private func mustEnd(
        _ outcome: Outcome<ObjectResult>, or complaint: StaticString, _ fileID: StaticString, _ line: UInt
    ) {
        if task.chain.end(.set(outcome, fileID: fileID, line: line)) { return }
        task.chain.noteSetAgain(isError: true, fileID: fileID, line: line)
        guard !task.chain.isOverruled else { return }
        fatalError("\(complaint)", file: fileID, line: line)
    }

    // MARK: Trying to set

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySet(result: ResultType?, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.success(ObjectResult(result)), fileID, line)
    }

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySet(error: any Error, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.faulted(error), fileID, line)
    }

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySetCancelled(fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.cancelled, fileID, line)
    }

    private func tryToEnd(_ outcome: Outcome<ObjectResult>, _ fileID: StaticString, _ line: UInt) -> Bool {
        if task.chain.end(.set(outcome, fileID: fileID, line: line)) { return true }
        task.chain.noteSetAgain(isError: false, fileID: fileID, line: line)
        return false
    }
}
