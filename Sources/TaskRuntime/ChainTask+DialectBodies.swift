import TaskEvents

/// Bodies that find out while they run whether they return a value or a task to follow, and continuations by a dialect's rules.
extension ChainTask {
    /// What a dialect's body came to.
    package enum Returned {
        case value(Value)
        case task(ChainTask<Value>)
    }

    /// A task that begins a chain with a body.
    package convenience init(on executor: ChainExecutor, _ label: TaskLabel, _ body: @escaping @Sendable () throws -> Returned) {
        self.init(rootOn: executor, label.name, label.fileID, label.line, label.fallback)
        start(on: executor) { [self] turn, trampoline in
            run(turn, ContinuationRules(), &trampoline, body)
        }
    }

    /// A task that goes on from this one by the dialect's rules.
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

    /// Whether the body is to run now that the continuation's turn has come; if not, the continuation has ended.
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
        Emit.started(id, on: turn.executor, turn.manner)
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

    /// Waits for the task that the body returned, and ends as it does, in the way the rules say.
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
    /// Takes a continuation's job to where it belongs: here and now, or into the queue.
    fileprivate func run(_ task: AnyChainTask, _ trampoline: inout Trampoline, _ start: @escaping Start) {
        switch core.placement {
        case .inline: _ = start(Turn(executor: core.id, manner: .inline), &trampoline)
        case .queue(let manner): enqueue(task, manner, isHop: true, start)
        }
    }
}

extension Turn {
    /// Does what comes of a turn that runs no body. One that came through a queue occupies its executor until all that it set off is done.
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
