/// Continuations that run after a failed task and return a value in the error's place. After any other end they are skipped.
///
/// A body that receives the error reads it. An error of another type skips the continuation and stays unread.
extension ChainTask {
    /// Calls `body` with the error, of any type.
    @discardableResult
    public func continueOnErrorWith(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (any Error) throws -> Value
    ) -> ChainTask<Value> {
        let task = ChainTask<Value>(after: self, on: executor, name, fileID, line, function)
        addOnError(task, on: executor, cancellation, { $0 }) { error, turn, trampoline in
            task.run(turn, &trampoline) { task.store(try body(error)) }
        }
        return task
    }

    /// Calls `body` with the error if it is of the type that `body` takes.
    @discardableResult
    public func continueOnErrorWith<Failure: Error>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (Failure) throws -> Value
    ) -> ChainTask<Value> {
        let task = ChainTask<Value>(after: self, on: executor, name, fileID, line, function)
        addOnError(task, on: executor, cancellation, { $0 as? Failure }) { error, turn, trampoline in
            task.run(turn, &trampoline) { task.store(try body(error)) }
        }
        return task
    }

    /// Calls `body` with the error, of any type. The continuation ends like the task that `body` returns.
    @discardableResult
    public func continueOnErrorWithTask(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (any Error) throws -> ChainTask<Value>
    ) -> ChainTask<Value> {
        let task = ChainTask<Value>(after: self, on: executor, name, fileID, line, function)
        addOnError(task, on: executor, cancellation, { $0 }) { error, turn, trampoline in
            task.runFlattening(turn, &trampoline) { try body(error) }
        }
        return task
    }

    /// Calls `body` with the error if it is of the type that `body` takes. The continuation ends like the task that `body` returns.
    @discardableResult
    public func continueOnErrorWithTask<Failure: Error>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (Failure) throws -> ChainTask<Value>
    ) -> ChainTask<Value> {
        let task = ChainTask<Value>(after: self, on: executor, name, fileID, line, function)
        addOnError(task, on: executor, cancellation, { $0 as? Failure }) { error, turn, trampoline in
            task.runFlattening(turn, &trampoline) { try body(error) }
        }
        return task
    }

    /// Adds a continuation whose body receives the error, as converted by `match`. If `match` returns nil, the continuation is skipped.
    private func addOnError<Failure>(
        _ task: ChainTask<Value>, on executor: ChainExecutor, _ cancellation: CancellationToken?,
        _ match: @escaping @Sendable (any Error) -> Failure?,
        _ body: @escaping @Sendable (Failure, Turn, inout Trampoline) -> Bool
    ) {
        if let cancellation { task.obey(cancellation) }
        whenEnded { antecedent, turn, trampoline in
            let failure = antecedent.unreadError.flatMap(match)
            let step = task.nextStep(
                after: antecedent, turn, on: executor, cancellation, if: failure == nil ? .never : .always, &trampoline)
            guard case .runs(var turn) = step, let failure else { return step }
            turn.handing = antecedent
            return body(failure, turn, &trampoline) ? step : .over
        }
    }
}
