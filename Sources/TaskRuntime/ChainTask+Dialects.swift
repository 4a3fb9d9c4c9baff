import TaskEvents

/// What the dialects make their tasks of: ones that their own sources, timers and joins end. They leave the events that native ones leave.
extension ChainTask {
    /// How a dialect's task ends, and with that what the trace says of it.
    package enum End: Sendable {
        /// With an outcome of its own: it was made so, or its time has come.
        case own(Outcome<Value>)
        /// With what somebody gave its source at that place.
        case set(Outcome<Value>, file: StaticString, line: UInt)
        /// As that task did.
        case following(ChainTask<Value>)
        /// With an error that stands for several.
        case aggregate(any Error)
        /// Cancelled, as its token is.
        case token
    }

    // MARK: Making one

    /// A task that has ended.
    package convenience init(ended outcome: Outcome<Value>, _ label: TaskLabel) {
        self.init(kind: .root, label)
        end(.own(outcome))
    }

    /// A task that waits for the dialect's source. Nothing ends it in the source's place.
    package static func source(_ label: TaskLabel) -> ChainTask<Value> {
        ChainTask(kind: .source, label)
    }

    /// A task that ends as `end` says when `duration` has passed, never before it is returned.
    package static func delay(_ duration: Duration, _ label: TaskLabel, _ end: @escaping @Sendable () -> End) -> ChainTask<Value> {
        let task = ChainTask(kind: .delay, label)
        _ = Timers.current.schedule(after: duration) { task.end(end()) }
        return task
    }

    /// A task that waits for others by the dialect's own rule: `decide` is called once for each, on the thread that ended it, and the
    /// first end that it answers is the join's. Who makes a join of none has to end it.
    package static func join(
        of inputs: [ChainTask<Value>], _ label: TaskLabel, _ decide: @escaping @Sendable (ChainTask<Value>) -> End?
    ) -> ChainTask<Value> {
        let join = ChainTask(kind: .join, label, antecedent: inputs.first)
        for input in inputs.dropFirst() {
            Emit.antecedent(input.id, of: join.id, role: .input)
        }
        for input in inputs {
            Trampoline.run { trampoline in
                input.whenEnded(&trampoline) { input, trampoline in
                    guard let end = decide(unsafeDowncast(input, to: ChainTask<Value>.self)) else { return }
                    join.end(end, &trampoline)
                }
            }
        }
        return join
    }

    private convenience init(kind: TaskKind, _ label: TaskLabel, antecedent: AnyChainTask? = nil) {
        self.init(kind: kind, name: label.name, or: label.fallback, file: label.file, line: label.line, antecedent: antecedent)
    }

    // MARK: Ending it

    /// Ends the task, unless it has ended, and runs what that sets off. The answer is whether this call ended it.
    @discardableResult
    package func end(_ end: End) -> Bool {
        var hasEnded = false
        Trampoline.run { hasEnded = self.end(end, &$0) }
        return hasEnded
    }

    @discardableResult
    func end(_ end: End, _ trampoline: inout Trampoline) -> Bool {
        switch end {
        case .own(let outcome):
            return self.end(outcome, .own, &trampoline)
        case .set(let outcome, let file, let line):
            return self.end(outcome, .set(Emit.label(name: nil, or: "set", file: file, line: line)), &trampoline)
        case .following(let other):
            guard claim() else { return false }
            take(other, &trampoline)
            return true
        case .aggregate(let error):
            return endFaulted(with: error, .replacing(.none), &trampoline)
        case .token:
            return endCancelled(.token, &trampoline)
        }
    }

    private func end(_ outcome: Outcome<Value>, _ cause: EndCause, _ trampoline: inout Trampoline) -> Bool {
        switch outcome {
        case .success(let value): end(with: value, cause, &trampoline)
        case .faulted(let error): endFaulted(with: error, cause, &trampoline)
        // Nothing was thrown where there is no body: whoever made it so asked for it.
        case .cancelled: endCancelled(.set(cause.site), &trampoline)
        }
    }

    /// Notes that somebody gave the ended task another outcome: whether that is a programming error, or he only tried.
    package func noteSetAgain(isError: Bool, file: StaticString, line: UInt) {
        Emit.completedTwice(id, site: Emit.label(name: nil, or: "set", file: file, line: line), isError: isError)
    }
}
