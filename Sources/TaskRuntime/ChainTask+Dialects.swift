import TaskEvents

/// What the dialects make their tasks of: ones that their own sources, timers and joins end. They leave the events that native ones leave.
extension ChainTask {
    /// How a dialect's task ends: with what, and what the trace says of why.
    package struct End: Sendable {
        let outcome: Outcome<Value>
        let cause: EndCause

        package init(_ outcome: Outcome<Value>, _ cause: EndCause) {
            self.outcome = outcome
            self.cause = cause
        }

        /// With an outcome of its own: it was made so, or its time has come.
        package static func own(_ outcome: Outcome<Value>) -> End {
            // Without a body nothing was thrown: the maker asked for the cancellation.
            if case .cancelled = outcome { End(outcome, .set(.none)) } else { End(outcome, .own) }
        }

        /// With the outcome that its source was given at that place.
        package static func set(_ outcome: Outcome<Value>, fileID: StaticString, line: UInt) -> End {
            End(outcome, .set(Emit.setSite(fileID, line)))
        }

        /// As that task did, which has ended.
        package static func following(_ other: ChainTask<Value>) -> End {
            End(other.unreadOutcome, .following(other.id))
        }

        /// With an error that stands for several.
        package static func aggregate(_ error: any Error) -> End {
            End(.faulted(error), .replacing(.none))
        }

        /// Cancelled, as its token is.
        package static var token: End { End(.cancelled, .token) }
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
    /// first end that it returns is the join's. The maker of a join of none must end it.
    package static func join(
        of inputs: [ChainTask<Value>], _ label: TaskLabel, _ decide: @escaping @Sendable (ChainTask<Value>) -> End?
    ) -> ChainTask<Value> {
        let join = ChainTask(kind: .join, label, antecedent: inputs.first)
        for input in inputs.dropFirst() {
            Emit.antecedent(input.id, of: join.id, role: .input)
        }
        for input in inputs {
            input.whenEnded { input, _, trampoline in
                if let end = decide(unsafeDowncast(input, to: ChainTask<Value>.self)) { join.end(end, &trampoline) }
                return .over
            }
        }
        return join
    }

    private convenience init(kind: TaskKind, _ label: TaskLabel, antecedent: AnyChainTask? = nil) {
        self.init(kind: kind, name: label.name, or: label.fallback, fileID: label.fileID, line: label.line, antecedent: antecedent)
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
        switch end.outcome {
        case .success(let value): self.end(with: value, end.cause, &trampoline)
        case .faulted(let error): endFaulted(with: error, cause(of: error, end.cause), &trampoline)
        case .cancelled: endCancelled(end.cause, &trampoline)
        }
    }

    /// An error that the task's own body, on this thread, gives it after having read others: one of them goes on, or it takes their place.
    private func cause(of error: any Error, _ cause: EndCause) -> EndCause {
        guard cause.source == .none, let frame = ExecutionFrame.current, frame.pointee.task == id else { return cause }
        return EndCause(throwing: error, after: frame.pointee.errorsRead, orElse: cause)
    }

    private var unreadOutcome: Outcome<Value> {
        switch currentEnding {
        case .succeeded: .success(storage!)
        case .faulted: .faulted(unreadError!)
        case .cancelled: .cancelled
        case .none: preconditionFailure("a pending task has no outcome to follow")
        }
    }

    /// Notes that the ended task was given another outcome. `isError` tells a programming error from an attempt.
    package func noteSetAgain(isError: Bool, fileID: StaticString, line: UInt) {
        Emit.completedTwice(id, site: Emit.setSite(fileID, line), isError: isError && !isOverruled)
    }
}

/// Tasks that a dialect leads from stage to stage, where a body's return is no end, and a body waits for more than an antecedent.
/// What they do is in the trace as what native tasks do is.
extension ChainTask {
    /// A root that waits to be sent to its executor.
    package convenience init(unsentFor executor: ChainExecutor, _ label: TaskLabel) {
        self.init(rootOn: executor, label.name, label.fileID, label.line, label.fallback)
    }
}

extension AnyChainTask {
    /// Sends the task's job to its executor. There, if `begins` says so, `body` runs as the task's, which it need not end; also where
    /// the task has ended before.
    package final func send(
        to executor: ChainExecutor, if begins: @escaping @Sendable () -> Bool, _ body: @escaping @Sendable () -> Void
    ) {
        start(on: executor) { [self] turn, _ in
            guard begins() else { return false }
            _ = begin()
            Emit.started(id, on: turn.executor, turn.manner)
            perform(body)
            return true
        }
    }

    /// Runs a piece of the task's work: what it reads or waits for, the task does.
    package final func perform(_ work: () -> Void) {
        var reads = ErrorReads(nil)
        _ = ExecutionFrame.run(id, &reads, work)
    }
}

/// What a task is called and where that was said, as the dialects' methods hand it on.
package struct TaskLabel: Sendable {
    /// Nil for a task that is called after ``fallback``.
    let name: String?
    let fallback: StaticString
    let fileID: StaticString
    let line: UInt

    package init(_ name: String?, or fallback: StaticString, _ fileID: StaticString, _ line: UInt) {
        self.name = name
        self.fallback = fallback
        self.fileID = fileID
        self.line = line
    }
}
