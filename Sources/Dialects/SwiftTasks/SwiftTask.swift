import AWSTasks
import Foundation
import TaskRuntime

/// A task of the SwiftTask README, a port of Bolts that follows Facebook's `FBTask`: it has no executors, and **nothing runs inline**. Each
/// block goes through its queue, even if the task has already ended.
///
/// The library was never published. Where the README is silent, this type behaves like `FBTask` or Bolts, as each member's comment states.
/// Several `SwiftTask`s may refer to one task of the runtime; they are equal. Any thread may use a task.
public final class SwiftTask: NSObject, @unchecked Sendable {
    // Unchecked because of NSObject; all properties are immutable.

    let chain: ChainTask<ObjectResult>

    init(chain: ChainTask<ObjectResult>) {
        self.chain = chain
    }

    /// A task that has ended with this value; for `.NotDone`, a task that never ends.
    public convenience init(
        completionValue: SwiftTaskCompletionValue, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let label = TaskLabel(name, or: "completionValue", fileID, line)
        self.init(chain: completionValue.outcome.map { ChainTask(ended: $0, label) } ?? .source(label))
    }

    // MARK: Outcome

    /// The task's end. For a failed task this counts as reading the error.
    public var completionValue: SwiftTaskCompletionValue { SwiftTaskCompletionValue(chain.outcome) }

    /// The result; nil if the task is pending, did not succeed, or succeeded with nil. Does not count as reading the error.
    public var result: AnyObject? { chain.result?.object }

    /// The error, not converted; nil unless the task has failed, and nil if it failed by an exception.
    public var error: (any Error)? {
        chain.unreadError is SwiftTaskException ? nil : chain.error
    }

    /// The error that the task's block threw, or that its source received as an exception.
    public var exception: (any Error)? {
        guard chain.unreadError is SwiftTaskException else { return nil }
        return (chain.error as? SwiftTaskException)?.thrown
    }

    /// Whether the task was cancelled.
    public var isCancelled: Bool { chain.isCancelled }

    /// Whether the task has ended, **in any way**. The README's last sample treats it as success; in Bolts and FBTask it is not.
    public var completed: Bool { chain.isCompleted }

    // MARK: NSObject

    /// The state of the task. This access does not count as reading its error.
    public override var description: String { "<SwiftTask: \(chain.unreadDescription)>" }

    /// Whether both are handles of one task.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SwiftTask)?.chain === chain
    }

    /// Equal for handles of one task.
    public override var hash: Int { ObjectIdentifier(chain).hashValue }
}

extension ChainTask<ObjectResult> {
    /// The end in words. Does not count as reading the error.
    fileprivate var unreadDescription: String {
        if let result { return "Result(\(result.object.map { "\($0)" } ?? "nil"))" }
        if let error = unreadError as? SwiftTaskException { return "Exception(\(error.thrown))" }
        if let error = unreadError { return "Error(\(error))" }
        return isCancelled ? "Cancelled" : "NotDone"
    }
}

extension SwiftTask {
    /// Waits for all tasks, and succeeds with nil if all have succeeded. Without tasks it succeeds at once.
    ///
    /// An error or exception takes precedence over a cancellation, as in Bolts since 1.1.5. (When the README was written, Bolts gave the
    /// cancellation precedence.) A single error is passed on unchanged. Several become an error of domain `bolts` and code 80175001, with
    /// the errors under `errors` in the order of their occurrence; exceptions are ``SwiftTaskException``s.
    public static func taskForCompletionOfAllTasks(
        _ tasks: [SwiftTask], name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> SwiftTask {
        let label = TaskLabel(name, or: "taskForCompletionOfAllTasks", fileID, line)
        return SwiftTask(chain: .all(tasks.map(\.chain), label) { nil })
    }
}
