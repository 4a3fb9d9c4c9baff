import TaskEvents

/// Tasks that the dialects' sources, timers and joins end. They emit the same events as native tasks.
extension ChainTask {
    /// The end of a dialect's task: its outcome, and the cause that the trace records.
    package struct End: Sendable {
        let outcome: Outcome<Value>
        let cause: EndCause

        package init(_ outcome: Outcome<Value>, _ cause: EndCause) {
            self.outcome = outcome
            self.cause = cause
        }

        /// An end that does not come from another task, of a task that is made ended or whose delay has passed.
        package static func own(_ outcome: Outcome<Value>) -> End {
            // Without a body nothing was thrown, so the task's maker requested the cancellation.
            if case .cancelled = outcome { End(outcome, .set(.none)) } else { End(outcome, .own) }
        }

        /// An end that the task's source set at `fileID` and `line`.
        package static func set(_ outcome: Outcome<Value>, fileID: StaticString, line: UInt) -> End {
            End(outcome, .set(Emit.setSite(fileID, line)))
        }

        /// The same end as that of `other`, which must have ended.
        package static func following(_ other: ChainTask<Value>) -> End {
            End(other.unreadOutcome, .following(other.id))
        }

        /// A failure with one error that combines several.
        package static func aggregate(_ error: any Error) -> End {
            End(.faulted(error), .replacing(.none))
        }

        /// A cancellation by the task's token.
        package static var token: End { End(.cancelled, .token) }
    }

    // MARK: Creation

    /// A task that has already ended.
    package convenience init(ended outcome: Outcome<Value>, _ label: TaskLabel) {
        self.init(kind: .root, label)
        end(.own(outcome))
    }

    /// A pending task that the dialect's source ends. The runtime does not end it if the source is released.
    package static func source(_ label: TaskLabel) -> ChainTask<Value> {
        ChainTask(kind: .source, label)
    }

    /// A task that ends with the result of `end` after `duration`, never before this returns.
    package static func delay(_ duration: Duration, _ label: TaskLabel, _ end: @escaping @Sendable () -> End) -> ChainTask<Value> {
        let task = ChainTask(kind: .delay, label)
        _ = Timers.current.schedule(after: duration) { task.end(end()) }
        return task
    }

    /// A task that waits for others by the dialect's own rule. `decide` is called once for each input, on the thread that ended the input.
    /// The first end that it returns ends the join. If `inputs` is empty, the caller must end the join.
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

    // MARK: Ending

    /// Ends the task, unless it has ended, and runs the continuations that this sets off. Returns whether this call ended it.
    @discardableResult
    package func end(_ end: End) -> Bool {
        Exploration.point()
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

    /// The cause for an error that the task's own body sets on this thread. If the body has read errors, `error` is one of them or replaces
    /// one.
    private func cause(of error: any Error, _ cause: EndCause) -> EndCause {
        guard cause.source == .none, let frame = ExecutionFrame.current, frame.pointee.task == id else { return cause }
        return EndCause(throwing: error, after: frame.pointee.errorsRead, orElse: cause)
    }

    private var unreadOutcome: Outcome<Value> {
        switch currentEnding {
        case .succeeded: .success(storedValue)
        case .faulted: .faulted(unreadError!)
        case .cancelled: .cancelled
        case .none: preconditionFailure("a pending task has no outcome to follow")
        }
    }

    /// Records that code tried to end the ended task again. `isError` distinguishes a programming error from an allowed attempt.
    package func noteSetAgain(isError: Bool, fileID: StaticString, line: UInt) {
        Emit.completedTwice(id, site: Emit.setSite(fileID, line), isError: isError && !isOverruled)
    }
}

/// Tasks whose stages the dialect controls: a body's return does not end them, and a body waits for more than an antecedent. They emit the
/// same events as native tasks.
extension ChainTask {
    /// A root that has not been sent to its executor.
    package convenience init(unsentFor executor: ChainExecutor, _ label: TaskLabel) {
        self.init(rootOn: executor, label.name, label.fileID, label.line, label.fallback)
    }
}

extension AnyChainTask {
    /// Sends the task's job to its executor. There, if `begins` returns true, `body` runs as the task's body, even if the task has already
    /// ended. `body` need not end the task.
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

    /// Runs a piece of the task's work. Its reads of errors and its waits count as the task's.
    package final func perform(_ work: () -> Void) {
        var reads = ErrorReads(nil)
        _ = ExecutionFrame.run(id, &reads, work)
    }
}

/// A task's name and call site, as the dialects' methods pass them on.
package struct TaskLabel: Sendable {
    /// Nil if the task is named after ``fallback``.
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
