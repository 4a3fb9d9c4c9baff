import Foundation
import TaskRuntime

/// The other end of a task: whoever holds the source decides what its task comes to. Any thread may use it.
///
/// `set` and `cancel` return when all continuations that run inline have run; on an ended task they end the program with the original's
/// words. A source that is let go of leaves its task pending for good, as in the original; the trace says so.
public final class AWSTaskCompletionSource<ResultType: AnyObject>: NSObject, @unchecked Sendable {
    // Immutable but for what NSObject holds, which is nothing.

    /// The task that the source decides.
    public let task: AWSTask<ResultType>

    /// Without a name the task is called after the calling function.
    public init(name: String? = nil, file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function) {
        task = AWSTask(chain: .source(TaskLabel(name, or: function, file, line)))
    }

    // MARK: Setting

    /// Ends the task with a result.
    public func set(result: ResultType?, file: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.success(ObjectResult(result)), or: "Cannot set the result on a completed task.", file, line)
    }

    /// Fails the task.
    public func set(error: any Error, file: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.faulted(error), or: "Cannot set the error on a completed task.", file, line)
    }

    /// Ends the task as cancelled.
    public func cancel(file: StaticString = #fileID, line: UInt = #line) {
        mustEnd(.cancelled, or: "Cannot cancel a completed task.", file, line)
    }

    private func mustEnd(
        _ outcome: Outcome<ObjectResult>, or complaint: StaticString, _ file: StaticString, _ line: UInt
    ) {
        if task.chain.end(.set(outcome, file: file, line: line)) { return }
        task.chain.noteSetAgain(isError: true, file: file, line: line)
        guard !task.chain.isOverruled else { return }
        fatalError("\(complaint)", file: file, line: line)
    }

    // MARK: Trying to

    /// Whether this call decided the task.
    @discardableResult
    public func trySet(result: ResultType?, file: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.success(ObjectResult(result)), file, line)
    }

    /// Whether this call decided the task.
    @discardableResult
    public func trySet(error: any Error, file: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.faulted(error), file, line)
    }

    /// Whether this call decided the task.
    @discardableResult
    public func trySetCancelled(file: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.cancelled, file, line)
    }

    private func tryToEnd(_ outcome: Outcome<ObjectResult>, _ file: StaticString, _ line: UInt) -> Bool {
        if task.chain.end(.set(outcome, file: file, line: line)) { return true }
        task.chain.noteSetAgain(isError: false, file: file, line: line)
        return false
    }
}
