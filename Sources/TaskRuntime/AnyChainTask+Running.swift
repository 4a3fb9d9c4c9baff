import TaskEvents

/// Where and how a task's body runs now that its turn has come.
@usableFromInline
struct Turn {
    let executor: ExecutorID
    let manner: StartManner
    /// The failed task whose error the body takes as its argument. Only a body that begins reads it.
    var handing: AnyChainTask?
}

/// Running bodies. What they return is theirs to keep: these methods know no values.
extension AnyChainTask {
    /// Runs the body, which puts the value in its place, and ends the task. False if the task had been cancelled before.
    @usableFromInline
    @discardableResult
    final func run(_ turn: Turn, _ trampoline: inout Trampoline, _ body: () throws -> Void) -> Bool {
        guard begin() else { return false }
        Emit.started(id, on: turn.executor, turn.manner)
        var reads = ErrorReads(turn.handing?.handError(to: id))
        if let error = ExecutionFrame.run(id, &reads, body) {
            endThrowing(error, reads: reads.all, &trampoline)
        } else if claim() {
            succeed(.own, &trampoline)
        }
        return true
    }

    /// Runs a body that returns the task to follow.
    @usableFromInline
    @discardableResult
    final func runFlattening(_ turn: Turn, _ trampoline: inout Trampoline, _ body: () throws -> AnyChainTask) -> Bool {
        guard begin() else { return false }
        Emit.started(id, on: turn.executor, turn.manner)
        var reads = ErrorReads(turn.handing?.handError(to: id))
        var inner: AnyChainTask?
        if let error = ExecutionFrame.run(id, &reads, { inner = try body() }) {
            endThrowing(error, reads: reads.all, &trampoline)
        } else if let inner {
            follow(inner, &trampoline)
        }
        return true
    }

    /// Sends a root's body to its executor: on inline ones it has run when this returns.
    @usableFromInline
    final func start(on executor: ChainExecutor, _ body: @escaping Start) {
        switch executor.core.placement {
        case .inline: Trampoline.run { _ = body(Turn(executor: executor.core.id, manner: .inline), &$0) }
        case .queue(let manner): executor.enqueue(self, manner, isHop: false, body)
        }
    }

    /// Makes `task` go on from this one: if `condition` holds by then its body is sent to its executor, else it is skipped.
    ///
    /// A token that is cancelled before the body begins cancels it at once, even where it would be skipped.
    @usableFromInline
    final func add(
        _ task: AnyChainTask, on executor: ChainExecutor, _ cancellation: CancellationToken?, if condition: ContinuationCondition,
        _ body: @escaping ContinuationBody
    ) {
        task.obey(cancellation)
        Trampoline.run { trampoline in
            whenEnded(&trampoline) { antecedent, trampoline in
                guard !task.isCompleted, !task.heeds(cancellation, &trampoline) else { return }
                guard condition.holds(for: antecedent) else { return task.skip(antecedent, &trampoline) }
                switch executor.core.placement {
                case .inline:
                    _ = body(antecedent, Turn(executor: executor.core.id, manner: .inline), &trampoline)
                case .queue(let manner):
                    executor.enqueue(task, manner, isHop: true) { turn, trampoline in
                        !task.heeds(cancellation, &trampoline) && body(antecedent, turn, &trampoline)
                    }
                }
            }
        }
    }
}

/// Runs a root's body; answers whether it began.
@usableFromInline
typealias Start = @Sendable (_ turn: Turn, _ trampoline: inout Trampoline) -> Bool

/// Runs a continuation's body after its antecedent has ended; answers whether it began.
@usableFromInline
typealias ContinuationBody = @Sendable (_ antecedent: AnyChainTask, _ turn: Turn, _ trampoline: inout Trampoline) -> Bool

/// Which ends of its antecedent a continuation is for.
@usableFromInline
enum ContinuationCondition: Sendable {
    case always
    case succeeded
    /// Failed, with an error that the function takes.
    case failed(@Sendable (any Error) -> Bool)

    func holds(for antecedent: AnyChainTask) -> Bool {
        switch self {
        case .always: true
        case .succeeded: antecedent.currentEnding == .succeeded
        case .failed(let takes): antecedent.unreadError.map(takes) ?? false
        }
    }
}
