/// What runs after a task that succeeded. After one that did not, the continuation is skipped: it ends as the task did.
extension ChainTask {
    /// Calls `body` with the value.
    @inlinable
    @discardableResult
    public func continueOnSuccessWith<U: Sendable>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (Value) throws -> U
    ) -> ChainTask<U> {
        let task = ChainTask<U>(after: self, on: executor, name, file, line, function)
        add(task, on: executor, cancellation, if: .succeeded) { antecedent, turn, trampoline in
            task.run(turn, &trampoline) {
                task.storage = try body(unsafeDowncast(antecedent, to: ChainTask<Value>.self).storage!)
            }
        }
        return task
    }

    /// Calls `body` with the value; the continuation ends as the task that `body` returns.
    @inlinable
    @discardableResult
    public func continueOnSuccessWithTask<U: Sendable>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (Value) throws -> ChainTask<U>
    ) -> ChainTask<U> {
        let task = ChainTask<U>(after: self, on: executor, name, file, line, function)
        add(task, on: executor, cancellation, if: .succeeded) { antecedent, turn, trampoline in
            task.runFlattening(turn, &trampoline) {
                try body(unsafeDowncast(antecedent, to: ChainTask<Value>.self).storage!)
            }
        }
        return task
    }
}
