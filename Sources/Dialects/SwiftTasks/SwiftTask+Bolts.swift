import AWSTasks
import Dispatch

/// To and from Bolts. Both sides are one and the same task, so that no outcome is lost on the way and there is nothing to wait for.
extension SwiftTask {
    /// This task as a `BFTask`. An exception is its error, a ``SwiftTaskException``.
    public func bftask() -> BFTask<AnyObject> {
        BFTask(chain: chain)
    }
}

extension AWSTask {
    /// This task as a ``SwiftTask``.
    public func swiftTask() -> SwiftTask {
        SwiftTask(chain: chain)
    }

    /// How it ended. Of a failed task this reads the error.
    public var completionValue: SwiftTaskCompletionValue {
        swiftTask().completionValue
    }

    /// Calls `block` whatever the task came to, through a queue: the global one of default quality unless another is given.
    @preconcurrency
    @discardableResult
    public func dependentTaskWith(
        _ block: @escaping @Sendable (SwiftTask) throws -> Any?, queue: DispatchQueue? = nil, name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) -> SwiftTask {
        swiftTask().dependentTaskWith(block, queue: queue, name: name, fileID: fileID, line: line, function: function)
    }
}
