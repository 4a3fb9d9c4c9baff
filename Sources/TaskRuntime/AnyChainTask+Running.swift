import TaskEvents

/// Running bodies. A body stores its own result, so these methods do not depend on the value's type.
extension AnyChainTask {
    /// Runs the body, which stores the value, and ends the task. Returns false, without running the body, if the task has ended before.
    @usableFromInline
    @discardableResult
    final func run(_ turn: Turn, _ trampoline: inout Trampoline, _ body: () throws -> Void) -> Bool {
        guard begin() else { return false }
        Emit.started(id, on: turn.executor, turn.manner, isDirect: true)
        var reads = ErrorReads(turn.handing?.handError(to: id))
        if let error = ExecutionFrame.run(id, &reads, body) {
            endThrowing(error, reads: reads.all, &trampoline)
        } else {
            claimAfterBody()
            succeed(.own, &trampoline)
        }
        return true
    }

    /// Runs a body that returns the task to follow.
    @usableFromInline
    @discardableResult
    final func runFlattening(_ turn: Turn, _ trampoline: inout Trampoline, _ body: () throws -> AnyChainTask) -> Bool {
        guard begin() else { return false }
        Emit.started(id, on: turn.executor, turn.manner, isDirect: true)
        var reads = ErrorReads(turn.handing?.handError(to: id))
        var inner: AnyChainTask?
        if let error = ExecutionFrame.run(id, &reads, { inner = try body() }) {
            endThrowing(error, reads: reads.all, &trampoline)
        } else if let inner {
            follow(inner, &trampoline)
        }
        return true
    }

    /// Sends a root's body to its executor. On an inline executor the body has run when this returns.
    @usableFromInline
    final func start(on executor: ChainExecutor, _ body: @escaping Start) {
        switch executor.core.placement {
        case .inline: Trampoline.run { _ = body(Turn(executor: executor.core.id, manner: .inline), &$0) }
        case .queue(let manner): executor.enqueue(self, manner, isHop: false, body)
        }
    }

    /// The next step of this continuation. Called when its antecedent has ended, and again when its turn in a queue has come.
    ///
    /// A token that is cancelled before the body begins cancels the continuation, even if it would be skipped.
    @usableFromInline
    final func nextStep(
        after antecedent: AnyChainTask, _ turn: Turn?, on executor: ChainExecutor, _ cancellation: CancellationToken?,
        if condition: ContinuationCondition, _ trampoline: inout Trampoline
    ) -> ContinuationStep {
        if let cancellation, heeds(cancellation, &trampoline) { return .over }
        if let turn { return .runs(turn) }
        guard !isCompleted else { return .over }
        guard condition.holds(for: antecedent) else {
            skip(antecedent, &trampoline)
            return .over
        }
        switch executor.core.placement {
        case .inline: return .runs(Turn(executor: executor.core.id, manner: .inline))
        case .queue(let manner): return .queues(self, executor, manner)
        }
    }
}

/// The ends of its antecedent after which a continuation runs its body.
@usableFromInline
enum ContinuationCondition: Sendable {
    case always
    case succeeded
    /// The continuation does not apply, for example because the error has another type.
    case never

    func holds(for antecedent: AnyChainTask) -> Bool {
        switch self {
        case .always: true
        case .succeeded: antecedent.currentEnding == .succeeded
        case .never: false
        }
    }
}

extension ChainExecutor {
    /// Enqueues a task's job. `start` returns whether the body began.
    func enqueue(_ task: AnyChainTask, _ manner: HopManner, isHop: Bool, _ start: @escaping Start) {
        let id = task.id
        if isHop {
            let executor = ExecutionFrame.current?.pointee.executor ?? .none
            Emit.hopped(id, from: executor, to: core.id, manner)
            if core.kind == .main, executor != core.id { Gatekeeper.shared.noteHopOntoMain() }
        }
        Emit.enqueued(id, on: core.id)
        core.submit(of: id, in: task.chain) { [core] in
            ExecutionFrame.job(on: core.id) {
                var hasBegun = false
                Trampoline.run { hasBegun = start(Turn(executor: core.id, manner: .dequeued), &$0) }
                if hasBegun { Emit.jobEnded(id, on: core.id) }
            }
        }
    }
}
