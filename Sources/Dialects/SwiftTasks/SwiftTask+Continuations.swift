import AWSTasks
import Dispatch
import TaskRuntime

/// Continuations. A block always goes through a queue, by default the global queue of default quality.
///
/// A block returns a result, nil, or a task to follow: a ``SwiftTask`` or a `BFTask`, whose outcome also goes through the block's queue. If
/// a block throws, its task ends with an exception.
extension SwiftTask {
    /// Calls `block` after any end of the task.
    @preconcurrency
    @discardableResult
    public func dependentTaskWith(
        _ block: @escaping @Sendable (SwiftTask) throws -> Any?, queue: DispatchQueue? = nil, name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) -> SwiftTask {
        let executor = ChainExecutor.queue(queue ?? .global())
        let rules = ContinuationRules(forwardingExecutor: executor)
        return continued(executor, rules, TaskLabel(name, or: function, fileID, line), block)
    }

    /// Calls `block` if the task succeeded; otherwise the continuation ends as the task did.
    ///
    /// As in FBTask, the global queue decides whether to skip; only the block goes through `queue`.
    @preconcurrency
    @discardableResult
    public func completionTaskWith(
        _ block: @escaping @Sendable (SwiftTask) throws -> Any?, queue: DispatchQueue? = nil, name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) -> SwiftTask {
        let executor = ChainExecutor.queue(queue ?? .global())
        let rules = ContinuationRules(
            isForSuccess: true, decidingExecutor: queue == nil ? nil : .queue(.global()), forwardingExecutor: executor)
        return continued(executor, rules, TaskLabel(name, or: function, fileID, line), block)
    }

    /// Calls `block` through the main queue, even if the caller is on it, after any end of the task.
    @preconcurrency
    @discardableResult
    public func dependentTaskOnMainQueueWith(
        _ block: @escaping @Sendable (SwiftTask) throws -> Any?, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function
    ) -> SwiftTask {
        dependentTaskWith(block, queue: .main, name: name, fileID: fileID, line: line, function: function)
    }

    /// Calls `block` through the main queue, even if the caller is on it, if the task succeeded.
    @preconcurrency
    @discardableResult
    public func completionTaskOnMainQueueWith(
        _ block: @escaping @Sendable (SwiftTask) throws -> Any?, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function
    ) -> SwiftTask {
        completionTaskWith(block, queue: .main, name: name, fileID: fileID, line: line, function: function)
    }

    private func continued(
        _ executor: ChainExecutor, _ rules: ContinuationRules, _ label: TaskLabel,
        _ block: @escaping @Sendable (SwiftTask) throws -> Any?
    ) -> SwiftTask {
        // Weak, so that its own continuation does not keep a pending task alive.
        let continuation = chain.continued(on: executor, label, rules) { [weak self] antecedent in
            do {
                let value = try block(self ?? SwiftTask(chain: antecedent))
                return (value as? SwiftTask).map { .task($0.chain) } ?? .init(value)
            } catch {
                throw SwiftTaskException(thrown: error)
            }
        }
        return SwiftTask(chain: continuation)
    }
}
