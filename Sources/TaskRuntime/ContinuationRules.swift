/// Where a dialect's continuation differs from a native one, which decides whether it applies as soon as its antecedent has ended, and then
/// touches its executor only to run.
package struct ContinuationRules: Sendable {
    /// Whether the continuation is skipped after a task that did not succeed.
    package var isForSuccess: Bool
    /// The executor that the question whether to skip goes through; nil for the body's own.
    package var decidingExecutor: ChainExecutor?
    /// The executor through which the outcome of the task that the body returned is taken; nil for the thread that ended it.
    package var forwardingExecutor: ChainExecutor?
    /// Whether the continuation's token is cancelled. It is asked when the continuation's turn has come, and when the task that the body
    /// returned has ended; at no other moment.
    package var isCancelled: @Sendable () -> Bool

    package init(
        isForSuccess: Bool = false, decidingExecutor: ChainExecutor? = nil, forwardingExecutor: ChainExecutor? = nil,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.isForSuccess = isForSuccess
        self.decidingExecutor = decidingExecutor
        self.forwardingExecutor = forwardingExecutor
        self.isCancelled = isCancelled
    }
}
