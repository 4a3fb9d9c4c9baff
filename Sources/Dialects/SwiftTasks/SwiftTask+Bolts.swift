import AWSTasks
import Dispatch

/// Conversions to and from Bolts. Both sides are the same task of the runtime.
extension SwiftTask {
    /// This task as a `BFTask`, with an exception as an error of type ``SwiftTaskException``.
    public func bftask() -> BFTask<AnyObject> {
        BFTask(chain: chain)
    }
}

extension AWSTask {
    /// This task as a ``SwiftTask``.
    public func swiftTask() -> SwiftTask {
        SwiftTask(chain: chain)
    }

    /// The task's end. For a failed task this counts as reading the error.
    public var completionValue: SwiftTaskCompletionValue {
        swiftTask().completionValue
    }

    /// Calls `block` after any end of the task, through `queue`; by default through the global queue of default quality.
    @preconcurrency
    @discardableResult
    public func dependentTaskWith(
        _ block: @escaping @Sendable (SwiftTask) throws -> Any?, queue: DispatchQueue? = nil, name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) -> SwiftTask {
        swiftTask().dependentTaskWith(block, queue: queue, name: name, fileID: fileID, line: line, function: function)
    }
}
