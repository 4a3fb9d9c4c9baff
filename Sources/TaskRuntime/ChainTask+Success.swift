/// Continuations that run after a task that succeeded. After any other end they are skipped, and end like the task.
extension ChainTask {
    /// Calls `body` with the value.
    @inlinable
    @discardableResult
    public func continueOnSuccessWith<U: Sendable>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (Value) throws -> U
    ) -> ChainTask<U> {
        let task = ChainTask<U>(after: self, on: executor, name, fileID, line, function)
        if let cancellation { task.obey(cancellation) }
        whenEnded { antecedent, turn, trampoline in
            let step = task.nextStep(after: antecedent, turn, on: executor, cancellation, if: .succeeded, &trampoline)
            guard case .runs(let turn) = step else { return step }
            let hasBegun = task.run(turn, &trampoline) {
                task.store(try body(unsafeDowncast(antecedent, to: ChainTask<Value>.self).storedValue))
            }
            return hasBegun ? step : .over
        }
        return task
    }

    /// Calls `body` with the value. The continuation ends like the task that `body` returns.
    @inlinable
    @discardableResult
    public func continueOnSuccessWithTask<U: Sendable>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (Value) throws -> ChainTask<U>
    ) -> ChainTask<U> {
        let task = ChainTask<U>(after: self, on: executor, name, fileID, line, function)
        if let cancellation { task.obey(cancellation) }
        whenEnded { antecedent, turn, trampoline in
            let step = task.nextStep(after: antecedent, turn, on: executor, cancellation, if: .succeeded, &trampoline)
            guard case .runs(let turn) = step else { return step }
            let hasBegun = task.runFlattening(turn, &trampoline) {
                try body(unsafeDowncast(antecedent, to: ChainTask<Value>.self).storedValue)
            }
            return hasBegun ? step : .over
        }
        return task
    }
}
