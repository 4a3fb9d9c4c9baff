import TaskEvents

/// Bodies that return either a value or a task to follow, and continuations with a dialect's rules.
extension ChainTask {
    /// The result of a dialect's body.
    package enum Returned {
        case value(Value)
        case task(ChainTask<Value>)
    }

    /// A root with a body.
    package convenience init(on executor: ChainExecutor, _ label: TaskLabel, _ body: @escaping @Sendable () throws -> Returned) {
        self.init(rootOn: executor, label.name, label.fileID, label.line, label.fallback)
        start(on: executor) { [self] turn, trampoline in
            run(turn, ContinuationRules(), &trampoline, body)
        }
    }

    /// Adds a continuation that follows the dialect's rules.
    package func continued(
        on executor: ChainExecutor, _ label: TaskLabel, _ rules: ContinuationRules,
        _ body: @escaping @Sendable (ChainTask<Value>) throws -> Returned
    ) -> ChainTask<Value> {
        let task = ChainTask(after: self, on: executor, label.name, label.fileID, label.line, label.fallback)
        whenEnded { antecedent, _, trampoline in
            let antecedent = unsafeDowncast(antecedent, to: ChainTask<Value>.self)
            (rules.decidingExecutor ?? executor).run(task, &trampoline) { turn, trampoline in
                guard task.applies(after: antecedent, rules, turn, &trampoline) else { return false }
                let start: Start = { turn, trampoline in
                    task.run(turn, rules, &trampoline) { try body(antecedent) }
                }
                guard rules.decidingExecutor != nil else { return start(turn, &trampoline) }
                executor.run(task, &trampoline, start)
                return false
            }
            return .over
        }
        return task
    }

    /// Returns whether the body may run now that the continuation's turn has come. If false, the continuation has ended.
    private func applies(
        after antecedent: ChainTask<Value>, _ rules: ContinuationRules, _ turn: Turn, _ trampoline: inout Trampoline
    ) -> Bool {
        guard !isCompleted else { return false }
        if rules.isCancelled() {
            turn.passThrough(&trampoline) { end(.token, &$0) }
            return false
        }
        if rules.isForSuccess, antecedent.currentEnding != .succeeded {
            turn.passThrough(&trampoline) { skip(antecedent, &$0) }
            return false
        }
        return true
    }

    private func run(
        _ turn: Turn, _ rules: ContinuationRules, _ trampoline: inout Trampoline, _ body: () throws -> Returned
    ) -> Bool {
        guard begin() else { return false }
        Emit.started(id, on: turn.executor, turn.manner, isDirect: true)
        var reads = ErrorReads(nil)
        var returned: Returned?
        let thrown = ExecutionFrame.run(id, &reads) { returned = try body() }
        switch (thrown, returned) {
        case (let error?, _): endThrowing(error, reads: reads.all, &trampoline)
        case (nil, .value(let value)): end(with: value, .own, &trampoline)
        case (nil, .task(let inner)): follow(inner, rules, &trampoline)
        case (nil, nil): preconditionFailure("a body returned nothing and threw nothing")
        }
        return true
    }

    /// Waits for the task that the body returned, and ends like it, or as cancelled if the rules' token is cancelled by then.
    private func follow(_ inner: ChainTask<Value>, _ rules: ContinuationRules, _ trampoline: inout Trampoline) {
        Emit.antecedent(inner.id, of: id, role: .inner)
        let forwarded: @Sendable () -> End = { rules.isCancelled() ? .token : .following(inner) }
        if rules.forwardingExecutor == nil, inner.isCompleted {
            end(forwarded(), &trampoline)
            return
        }
        awaitInner()
        Emit.suspended(id, .innerTask, awaiting: inner.id)
        inner.whenEnded(&trampoline) { [self] _, _, trampoline in
            let finish: Start = { [self] _, trampoline in
                guard !isCompleted else { return false }
                Emit.resumed(id)
                return end(forwarded(), &trampoline)
            }
            guard let executor = rules.forwardingExecutor else {
                _ = finish(Turn(executor: .none, manner: .inline), &trampoline)
                return .over
            }
            executor.run(self, &trampoline, finish)
            return .over
        }
    }
}

extension ChainExecutor {
    /// Runs a continuation's job at once if the executor is inline; otherwise enqueues it.
    fileprivate func run(_ task: AnyChainTask, _ trampoline: inout Trampoline, _ start: @escaping Start) {
        switch core.placement {
        case .inline: _ = start(Turn(executor: core.id, manner: .inline), &trampoline)
        case .queue(let manner): enqueue(task, manner, isHop: true, start)
        }
    }
}

extension Turn {
    /// Ends a turn that runs no body. A turn from a queue occupies its executor until everything that `action` sets off inline has run.
    fileprivate func passThrough(_ trampoline: inout Trampoline, _ action: (inout Trampoline) -> Void) {
        switch manner {
        case .inline: action(&trampoline)
        case .dequeued, .slice:
            Emit.started(.none, on: executor, .dequeued)
            Trampoline.run(action)
            Emit.jobEnded(.none, on: executor)
        }
    }
}

/// The rules of a dialect's continuation, where it differs from a native one. A native continuation decides whether it applies as soon as
/// its antecedent has ended, and uses its executor only to run its body.
package struct ContinuationRules: Sendable {
    /// Whether the continuation is skipped after a task that did not succeed.
    package var isForSuccess: Bool
    /// The executor on which the continuation decides whether to skip; nil for the body's executor.
    package var decidingExecutor: ChainExecutor?
    /// The executor that forwards the outcome of the task that the body returned; nil for the thread that ended that task.
    package var forwardingExecutor: ChainExecutor?
    /// Whether the continuation's token is cancelled. Called when the continuation's turn has come, and when the task that the body
    /// returned has ended; at no other time.
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
