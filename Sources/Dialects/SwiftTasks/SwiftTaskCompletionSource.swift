import AWSTasks
import Foundation
import TaskRuntime

/// Ends a task from outside. Any thread may use it.
///
/// Setting an ended task traps with the message of Bolts and FBTask; the README does not define this case. Releasing a source before it
/// ends its task leaves the task pending; the trace records it.
public final class SwiftTaskCompletionSource: NSObject, @unchecked Sendable {
    // Unchecked because of NSObject; all properties are immutable.

    /// The source's task.
    public let task: SwiftTask

    /// The task's name is by default the calling function.
    public init(name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function) {
        task = SwiftTask(chain: .source(TaskLabel(name, or: function, fileID, line)))
    }

    // MARK: Setting

    /// Ends the task with this value. Traps for `.NotDone`, which is not an end.
    public func setCompletionValue(_ value: SwiftTaskCompletionValue, fileID: StaticString = #fileID, line: UInt = #line) {
        if tryToEnd(value, isError: true, fileID, line) || task.chain.isOverruled { return }
        fatalError(value.complaint, file: fileID, line: line)
    }

    /// Ends the task with a result.
    public func setResult(_ result: Any?, fileID: StaticString = #fileID, line: UInt = #line) {
        setCompletionValue(.Result(ObjectResult(result).object), fileID: fileID, line: line)
    }

    /// Fails the task with an error of any type. `completionValue` converts it to an `NSError`.
    public func setError(_ error: any Error, fileID: StaticString = #fileID, line: UInt = #line) {
        if tryToEnd(.faulted(error), isError: true, fileID, line) || task.chain.isOverruled { return }
        fatalError("Cannot set the error on a completed task.", file: fileID, line: line)
    }

    /// Fails the task with an exception.
    public func setException(_ exception: any Error, fileID: StaticString = #fileID, line: UInt = #line) {
        setCompletionValue(.Exception(exception), fileID: fileID, line: line)
    }

    /// Ends the task as cancelled.
    public func cancel(fileID: StaticString = #fileID, line: UInt = #line) {
        setCompletionValue(.Cancelled, fileID: fileID, line: line)
    }

    // MARK: Trying to set

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySetCompletionValue(
        _ value: SwiftTaskCompletionValue, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Bool {
        tryToEnd(value, isError: false, fileID, line)
    }

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySetResult(_ result: Any?, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.success(ObjectResult(result)), isError: false, fileID, line)
    }

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySetError(_ error: any Error, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.faulted(error), isError: false, fileID, line)
    }

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySetException(_ exception: any Error, fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.Exception(exception), isError: false, fileID, line)
    }

    /// Returns whether this call ended the task.
    @discardableResult
    public func trySetCancelled(fileID: StaticString = #fileID, line: UInt = #line) -> Bool {
        tryToEnd(.Cancelled, isError: false, fileID, line)
    }

    private func tryToEnd(_ value: SwiftTaskCompletionValue, isError: Bool, _ fileID: StaticString, _ line: UInt) -> Bool {
        guard let outcome = value.outcome else { return false }
        return tryToEnd(outcome, isError: isError, fileID, line)
    }

    private func tryToEnd(_ outcome: Outcome<ObjectResult>, isError: Bool, _ fileID: StaticString, _ line: UInt) -> Bool {
        if task.chain.end(.set(outcome, fileID: fileID, line: line)) { return true }
        task.chain.noteSetAgain(isError: isError, fileID: fileID, line: line)
        return false
    }
}

extension SwiftTaskCompletionValue {
    /// The message of the trap for a failed attempt to set this value.
    fileprivate var complaint: String {
        switch self {
        case .NotDone: "A task cannot be set to NotDone: it is what a task is until it is set."
        case .Result: "Cannot set the result on a completed task."
        case .Error: "Cannot set the error on a completed task."
        case .Exception: "Cannot set the exception on a completed task."
        case .Cancelled: "Cannot cancel a completed task."
        }
    }
}
