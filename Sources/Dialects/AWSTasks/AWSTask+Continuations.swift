import TaskRuntime

/// Continuations. The block receives the ended task and returns a result, a task to follow, or nil.
///
/// The original's `continueWith(block:)`, `(block:cancellationToken:)`, `(executor:block:)` and `(executor:block:cancellationToken:)` are
/// one method here, which also takes a trailing closure; so are those of `continueOnSuccessWith`.
extension AWSTask {
    /// Calls `block` after any end of the task.
    ///
    /// If `block` returns a task, the continuation ends as that task does. Any other value is the result, even an error. The token is
    /// checked twice: when the block is about to run, and when a task that it returned has ended. It ends the continuation at no other
    /// time.
    @preconcurrency
    @discardableResult
    public func continueWith(
        executor: AWSExecutor = .default(), block: @escaping @Sendable (AWSTask<ResultType>) -> Any?,
        cancellationToken: AWSCancellationToken? = nil, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function
    ) -> AWSTask<AnyObject> {
        let rules = ContinuationRules(isCancelled: cancellationToken.isCancelled)
        return continued(executor, rules, TaskLabel(name, or: function, fileID, line), block)
    }

    /// Calls `block` if the task succeeded; otherwise the continuation ends as the task did.
    ///
    /// A skipped continuation goes through its executor too. If the token is already cancelled, this returns a cancelled task at once.
    @preconcurrency
    @discardableResult
    public func continueOnSuccessWith(
        executor: AWSExecutor = .default(), block: @escaping @Sendable (AWSTask<ResultType>) -> Any?,
        cancellationToken: AWSCancellationToken? = nil, name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        function: StaticString = #function
    ) -> AWSTask<AnyObject> {
        let label = TaskLabel(name, or: function, fileID, line)
        let rules = ContinuationRules(isForSuccess: true, isCancelled: cancellationToken.isCancelled)
        if rules.isCancelled() { return AWSTask<AnyObject>(chain: ChainTask(ended: .cancelled, label)) }
        return continued(executor, rules, label, block)
    }

    private func continued(
        _ executor: AWSExecutor, _ rules: ContinuationRules, _ label: TaskLabel,
        _ block: @escaping @Sendable (AWSTask<ResultType>) -> Any?
    ) -> AWSTask<AnyObject> {
        // Weak, so that its own continuation does not keep a pending task alive, as it does in the original.
        let continuation = chain.continued(on: executor.chain, label, rules) { [weak self] antecedent in
            .init(block(self ?? AWSTask(chain: antecedent)))
        }
        return AWSTask<AnyObject>(chain: continuation)
    }

    /// A task whose block runs on `executor`. If the block returns a task, this task ends as that one does.
    @preconcurrency
    public convenience init(
        from executor: AWSExecutor, with block: (@Sendable () -> Any)? = nil, name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line, function: StaticString = #function
    ) {
        self.init(chain: ChainTask(on: executor.chain, TaskLabel(name, or: function, fileID, line)) { .init(block?()) })
    }
}

extension AWSCancellationToken? {
    /// Checks the token at the time of the call.
    fileprivate var isCancelled: @Sendable () -> Bool {
        { self?.isCancellationRequested ?? false }
    }
}
