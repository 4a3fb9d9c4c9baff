import TaskEvents

/// What runs after a task that succeeded. After one that did not, the continuation is skipped: it ends as the task did.
extension ChainTask {
    /// Calls `body` with the value.
    @discardableResult
    public func continueOnSuccessWith<U: Sendable>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (Value) throws -> U
    ) -> ChainTask<U> {
        let task = ChainTask<U>(
            kind: .continuation, name: name, or: function, file: file, line: line, executor: executor, antecedent: self)
        addOnSuccess(task, on: executor, cancellation) { value, manner, trampoline in
            task.run(on: executor, manner, &trampoline) { try body(value) }
        }
        return task
    }

    /// Calls `body` with the value; the continuation ends as the task that `body` returns.
    @discardableResult
    public func continueOnSuccessWithTask<U: Sendable>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (Value) throws -> ChainTask<U>
    ) -> ChainTask<U> {
        let task = ChainTask<U>(
            kind: .continuation, name: name, or: function, file: file, line: line, executor: executor, antecedent: self)
        addOnSuccess(task, on: executor, cancellation) { value, manner, trampoline in
            task.runFlattening(on: executor, manner, &trampoline) { try body(value) }
        }
        return task
    }

    private func addOnSuccess<U: Sendable>(
        _ task: ChainTask<U>, on executor: ChainExecutor, _ cancellation: CancellationToken?,
        _ start: @escaping @Sendable (Value, StartManner, inout Trampoline) -> Bool
    ) {
        add(task, on: executor, cancellation) { antecedent, trampoline in
            switch antecedent.unreadOutcome {
            case .success(let value):
                return .run { manner, trampoline in start(value, manner, &trampoline) }
            case .faulted(let error):
                antecedent.skip(to: task, .faulted(error), &trampoline)
            case .cancelled, nil:
                antecedent.skip(to: task, .cancelled, &trampoline)
            }
            return .skipped
        }
    }
}
