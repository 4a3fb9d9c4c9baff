import TaskEvents

/// Tasks that a dialect leads from stage to stage, where a body's return is no end, and a body waits for more than an antecedent.
/// What they do is in the trace as what native tasks do is.
extension ChainTask {
    /// A root that waits to be sent to its executor.
    package convenience init(unsentFor executor: ChainExecutor, _ label: TaskLabel) {
        self.init(rootOn: executor, label.name, label.file, label.line, label.fallback)
    }

    /// Ends the task, unless it has ended. The answer is whether this call did.
    package func tryEnd(with value: Value, _ giver: OutcomeGiver) -> Bool {
        var hasEnded = false
        Trampoline.run { hasEnded = end(with: value, giver.cause, &$0) }
        return hasEnded
    }
}

/// Who gives a dialect's task its outcome.
package enum OutcomeGiver: Sendable {
    /// Its body.
    case body
    /// Somebody, at that place.
    case caller(EntryID)
    /// A task that it follows: its body returns that task's outcome, or it depends on it.
    case task(AnyChainTask)

    var cause: EndCause {
        switch self {
        case .body: .own
        case .caller(let site): .set(site)
        case .task(let task): .following(task.id)
        }
    }
}

extension AnyChainTask {
    /// Fails the task, unless it has ended. An error that its body, on this thread, has read goes on; or another one takes its place.
    package func tryFail(with error: any Error, _ giver: OutcomeGiver) -> Bool {
        var cause = giver.cause
        if cause.source == .none, let frame = ExecutionFrame.current, frame.pointee.task == id {
            cause = EndCause(throwing: error, after: frame.pointee.errorsRead)
        }
        var hasEnded = false
        Trampoline.run { hasEnded = endFaulted(with: error, cause, &$0) }
        return hasEnded
    }

    package func tryCancel(_ giver: OutcomeGiver) -> Bool {
        var hasEnded = false
        Trampoline.run { hasEnded = endCancelled(giver.cause, &$0) }
        return hasEnded
    }

    /// Sends the task's job to its executor. There, if `begins` says so, `body` runs as the task's, which it need not end; also where
    /// somebody has ended the task before.
    package func send(
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
    package func perform(_ work: () -> Void) {
        var reads = ErrorReads(nil)
        _ = ExecutionFrame.run(id, &reads, work)
    }
}
