/// Continuations that run after any outcome.
///
/// A token that is cancelled before the body begins cancels the continuation at once, even if it would be skipped. Once the body has begun,
/// it alone decides the outcome. A continuation that waits for the task its body returned can still be cancelled.
extension ChainTask {
    /// Calls `body` with the ended task.
    @inlinable
    @discardableResult
    public func continueWith<U: Sendable>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (ChainTask<Value>) throws -> U
    ) -> ChainTask<U> {
        let task = ChainTask<U>(after: self, on: executor, name, fileID, line, function)
        if let cancellation { task.obey(cancellation) }
        whenEnded { antecedent, turn, trampoline in
            let step = task.nextStep(after: antecedent, turn, on: executor, cancellation, if: .always, &trampoline)
            guard case .runs(let turn) = step else { return step }
            let hasBegun = task.run(turn, &trampoline) { task.store(try body(unsafeDowncast(antecedent, to: ChainTask<Value>.self))) }
            return hasBegun ? step : .over
        }
        return task
    }

    /// Calls `body` with the ended task. The continuation ends like the task that `body` returns.
    @inlinable
    @discardableResult
    public func continueWithTask<U: Sendable>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (ChainTask<Value>) throws -> ChainTask<U>
    ) -> ChainTask<U> {
        let task = ChainTask<U>(after: self, on: executor, name, fileID, line, function)
        if let cancellation { task.obey(cancellation) }
        whenEnded { antecedent, turn, trampoline in
            let step = task.nextStep(after: antecedent, turn, on: executor, cancellation, if: .always, &trampoline)
            guard case .runs(let turn) = step else { return step }
            let hasBegun = task.runFlattening(turn, &trampoline) { try body(unsafeDowncast(antecedent, to: ChainTask<Value>.self)) }
            return hasBegun ? step : .over
        }
        return task
    }
}
