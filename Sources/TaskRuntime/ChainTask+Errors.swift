import TaskEvents

/// What runs after a task that failed, and returns a value in the error's place. After any other end the continuation is skipped.
///
/// Being handed the error reads it. A handler of one type of error is skipped by every other error, which goes on unread.
extension ChainTask {
    /// Calls `body` with the error, whatever its type.
    @discardableResult
    public func continueOnErrorWith(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (any Error) throws -> Value
    ) -> ChainTask<Value> {
        let task = errorTask(name, file, line, function, executor)
        addOnError(task, on: executor, cancellation, matching: { $0 }) { error, handed, manner, trampoline in
            task.run(on: executor, manner, handed: handed, &trampoline) { try body(error) }
        }
        return task
    }

    /// Calls `body` with the error if it is of the type that `body` takes.
    @discardableResult
    public func continueOnErrorWith<Failure: Error>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (Failure) throws -> Value
    ) -> ChainTask<Value> {
        let task = errorTask(name, file, line, function, executor)
        addOnError(task, on: executor, cancellation, matching: { $0 as? Failure }) { error, handed, manner, trampoline in
            task.run(on: executor, manner, handed: handed, &trampoline) { try body(error) }
        }
        return task
    }

    /// Calls `body` with the error, whatever its type; the continuation ends as the task that `body` returns.
    @discardableResult
    public func continueOnErrorWithTask(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (any Error) throws -> ChainTask<Value>
    ) -> ChainTask<Value> {
        let task = errorTask(name, file, line, function, executor)
        addOnError(task, on: executor, cancellation, matching: { $0 }) { error, handed, manner, trampoline in
            task.runFlattening(on: executor, manner, handed: handed, &trampoline) { try body(error) }
        }
        return task
    }

    /// Calls `body` with the error if it is of the type that `body` takes; the continuation ends as the task that `body` returns.
    @discardableResult
    public func continueOnErrorWithTask<Failure: Error>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (Failure) throws -> ChainTask<Value>
    ) -> ChainTask<Value> {
        let task = errorTask(name, file, line, function, executor)
        addOnError(task, on: executor, cancellation, matching: { $0 as? Failure }) { error, handed, manner, trampoline in
            task.runFlattening(on: executor, manner, handed: handed, &trampoline) { try body(error) }
        }
        return task
    }

    private func errorTask(
        _ name: String?, _ file: StaticString, _ line: UInt, _ function: StaticString, _ executor: ChainExecutor
    ) -> ChainTask<Value> {
        ChainTask(kind: .continuation, name: name, or: function, file: file, line: line, executor: executor, antecedent: self)
    }

    private func addOnError<Failure>(
        _ task: ChainTask<Value>, on executor: ChainExecutor, _ cancellation: CancellationToken?,
        matching match: @escaping @Sendable (any Error) -> Failure?,
        _ start: @escaping @Sendable (Failure, HandedError, StartManner, inout Trampoline) -> Bool
    ) where Failure: Sendable {
        add(task, on: executor, cancellation) { antecedent, trampoline in
            guard case .faulted(let error) = antecedent.unreadOutcome, let failure = match(error) else {
                antecedent.skip(to: task, antecedent.unreadOutcome ?? .cancelled, &trampoline)
                return .skipped
            }
            return .run { manner, trampoline in
                start(failure, HandedError(task: antecedent, error: error), manner, &trampoline)
            }
        }
    }
}
