import TaskEvents

/// What runs after a task, whatever it came to.
///
/// A token that is cancelled before the body begins cancels the continuation at once, even where it would be skipped. The body of one
/// that has begun decides its outcome alone; one that waits for the task its body returned can still be cancelled.
extension ChainTask {
    /// Calls `body` with the ended task.
    @discardableResult
    public func continueWith<U: Sendable>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (ChainTask<Value>) throws -> U
    ) -> ChainTask<U> {
        let task = ChainTask<U>(
            kind: .continuation, name: name, or: function, file: file, line: line, executor: executor, antecedent: self)
        add(task, on: executor, cancellation) { antecedent, _ in
            .run { manner, trampoline in task.run(on: executor, manner, &trampoline) { try body(antecedent) } }
        }
        return task
    }

    /// Calls `body` with the ended task; the continuation ends as the task that `body` returns.
    @discardableResult
    public func continueWithTask<U: Sendable>(
        on executor: ChainExecutor = .default, name: String? = nil, cancellation: CancellationToken? = nil,
        file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function,
        _ body: @escaping @Sendable (ChainTask<Value>) throws -> ChainTask<U>
    ) -> ChainTask<U> {
        let task = ChainTask<U>(
            kind: .continuation, name: name, or: function, file: file, line: line, executor: executor, antecedent: self)
        add(task, on: executor, cancellation) { antecedent, _ in
            .run { manner, trampoline in task.runFlattening(on: executor, manner, &trampoline) { try body(antecedent) } }
        }
        return task
    }

    // MARK: Adding one

    /// What a continuation does now that its antecedent has ended.
    enum Response {
        /// Goes through its executor and runs. The answer of the function is whether the body began.
        case run(@Sendable (StartManner, inout Trampoline) -> Bool)
        /// Does not apply: it has ended as the antecedent did, and its executor is not touched.
        case skipped
    }

    /// Makes `task` go on from this one.
    func add<U: Sendable>(
        _ task: ChainTask<U>, on executor: ChainExecutor, _ cancellation: CancellationToken?,
        _ respond: @escaping @Sendable (ChainTask<Value>, inout Trampoline) -> Response
    ) {
        task.cancel(with: cancellation)
        Trampoline.run { trampoline in
            whenEnded(&trampoline) { antecedent, trampoline in
                guard !task.isCompleted, !task.obey(cancellation, &trampoline) else { return }
                switch respond(unsafeDowncast(antecedent, to: ChainTask<Value>.self), &trampoline) {
                case .run(let start):
                    executor.begin(task, isHop: true, &trampoline) { manner, trampoline in
                        !task.obey(cancellation, &trampoline) && start(manner, &trampoline)
                    }
                case .skipped: break
                }
            }
        }
    }

    /// Ends a continuation that does not apply as its antecedent ended.
    func skip<U: Sendable>(to task: ChainTask<U>, _ outcome: Outcome<U>, _ trampoline: inout Trampoline) {
        Emit.skipped(task.id, antecedent: id)
        switch outcome {
        case .success: task.end(outcome, .succeeded, &trampoline)
        case .faulted: task.end(outcome, .faulted(.forwarded, from: id), &trampoline)
        case .cancelled: task.end(outcome, .cancelled(.forwarded, by: id), &trampoline)
        }
    }
}
