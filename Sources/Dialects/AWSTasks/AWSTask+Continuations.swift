import TaskRuntime

/// What runs after a task. The block gets the ended task and returns a result, a task to follow, or nil.
///
/// The original's `continueWith(block:)`, `(block:cancellationToken:)`, `(executor:block:)` and `(executor:block:cancellationToken:)` are one
/// method here, which also takes the block behind its parentheses; likewise those of `continueOnSuccessWith`.
extension AWSTask {
    /// Calls `block` whatever the task came to.
    ///
    /// A task that `block` returns is followed: the continuation ends as that one does. Everything else is the result, also an error.
    /// The token is asked at two moments: when the block is about to run, which it then does not, whatever the task came to; and when the
    /// task that the block returned has ended. It ends nothing earlier.
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
    /// Skipping is done by the executor, as the block would be: the skipped continuation goes through the queue. A token that is cancelled
    /// by now is obeyed at once: the answer is a cancelled task, whatever becomes of this one.
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
        // Weak: a task that nobody ends is not to be kept alive by its own continuation, as it is in the original.
        let continuation = chain.continued(on: executor.chain, label, rules) { [weak self] antecedent in
            .init(block(self ?? AWSTask(chain: antecedent)))
        }
        return AWSTask<AnyObject>(chain: continuation)
    }

    /// A task whose block runs on `executor`. A task that it returns is followed.
    @preconcurrency
    public convenience init(
        from executor: AWSExecutor, with block: (@Sendable () -> Any)? = nil, name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line, function: StaticString = #function
    ) {
        self.init(chain: ChainTask(on: executor.chain, TaskLabel(name, or: function, fileID, line)) { .init(block?()) })
    }
}

extension AWSCancellationToken? {
    /// What asks whether the token is cancelled, at the moment it is called.
    fileprivate var isCancelled: @Sendable () -> Bool {
        { self?.isCancellationRequested ?? false }
    }
}
