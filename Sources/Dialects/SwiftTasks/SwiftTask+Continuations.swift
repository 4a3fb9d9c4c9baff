import AWSTasks
import Dispatch
import TaskRuntime

/// What runs after a task, always through a queue: the global one of default quality unless another is given.
///
/// A block returns a result, nil, or a task to follow: a ``SwiftTask`` or a `BFTask`, whose outcome comes through the block's queue, too. A
/// block that throws ends its task with an exception, whatever it throws.
extension SwiftTask {
    /// Calls `block` whatever the task came to.
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
    /// As in FBTask it is found out on the global queue whether to skip; only the block goes through `queue`.
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

    /// Calls `block` on the main queue, through it also for who is on it, whatever the task came to.
    @preconcurrency
    @discardableResult
    public func dependentTaskOnMainQueueWith(
        _ block: @escaping @Sendable (SwiftTask) throws -> Any?, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function
    ) -> SwiftTask {
        dependentTaskWith(block, queue: .main, name: name, fileID: fileID, line: line, function: function)
    }

    /// Calls `block` on the main queue, through it also for who is on it, if the task succeeded.
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
        // Weak: a task that nobody ends is not to be kept alive by its own continuation.
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
