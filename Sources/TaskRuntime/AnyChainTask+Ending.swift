import TaskEvents

/// Ends that do not depend on the value's type. A Boolean result says whether the call ended the task, unless noted otherwise.
extension AnyChainTask {
    @discardableResult
    func endFaulted(
        with error: any Error, _ cause: EndCause, by claimant: TaskStateMachine.Claimant = .owner, _ trampoline: inout Trampoline
    ) -> Bool {
        guard claim(by: claimant) else { return false }
        fault(with: Failure(error), cause, &trampoline)
        return true
    }

    @discardableResult
    func endCancelled(
        _ cause: EndCause, by claimant: TaskStateMachine.Claimant = .owner, _ trampoline: inout Trampoline
    ) -> Bool {
        guard claim(by: claimant) else { return false }
        cancel(cause, &trampoline)
        return true
    }

    /// Ends the task as an inspector does, so that a thread need not wait for it any more.
    func release() {
        Trampoline.run { endCancelled(.injected, by: .inspector, &$0) }
    }

    /// Ends the task with the error that its body threw. A `CancellationError` cancels it.
    func endThrowing(_ error: any Error, reads: [ErrorRead], _ trampoline: inout Trampoline) {
        if error is CancellationError {
            endCancelled(.own, &trampoline)
        } else {
            let source = reads.isEmpty ? SurroundingTask.source(of: error) : nil
            endFaulted(with: error, source.map { .following($0) } ?? EndCause(throwing: error, after: reads), &trampoline)
        }
    }

    /// Ends the task like `other`, whose value has the same type: its antecedent, its input, or the task that its body returned.
    func end(as other: AnyChainTask, _ trampoline: inout Trampoline) {
        if claim() { take(other, &trampoline) }
    }

    /// Like `end(as:)`, after a claim. The value types must match only if `other` succeeded.
    func take(_ other: AnyChainTask, _ trampoline: inout Trampoline) {
        let cause = EndCause.following(other.id)
        switch other.currentEnding {
        case .succeeded:
            adoptValue(of: other)
            succeed(cause, &trampoline)
        case .faulted:
            fault(like: other, cause, &trampoline)
        case .cancelled:
            cancel(cause, &trampoline)
        case .none:
            preconditionFailure("a pending task has no outcome to follow")
        }
    }

    /// Ends the task like its antecedent, because its body does not apply. Does not use its executor.
    func skip(_ antecedent: AnyChainTask, _ trampoline: inout Trampoline) {
        Emit.skipped(id, antecedent: antecedent.id)
        end(as: antecedent, &trampoline)
    }

    /// Waits for the task that the body returned, and ends like it.
    func follow(_ inner: AnyChainTask, _ trampoline: inout Trampoline) {
        Emit.antecedent(inner.id, of: id, role: .inner)
        guard !inner.isCompleted else { return end(as: inner, &trampoline) }
        awaitInner()
        Emit.suspended(id, .innerTask, awaiting: inner.id)
        inner.whenEnded(&trampoline) { [self] inner, _, trampoline in
            guard !isCompleted else { return .over }
            Emit.resumed(id)
            end(as: inner, &trampoline)
            return .over
        }
    }

    /// Cancels the task when the token is cancelled, unless its body is running or it has ended by then.
    @usableFromInline
    final func obey(_ token: CancellationToken) {
        let registration = token.onCancel { [weak self] in
            guard let self else { return }
            Trampoline.run { self.endCancelled(.token, by: .token, &$0) }
        }
        onEnd { registration.cancel() }
    }

    /// Cancels a task whose body has not begun if the token is cancelled. Returns whether the token is cancelled.
    ///
    /// The token's own action for this task may not have run yet: an earlier action of the same token may have ended the antecedent.
    func heeds(_ token: CancellationToken, _ trampoline: inout Trampoline) -> Bool {
        guard token.isCancellationRequested else { return false }
        endCancelled(.token, by: .token, &trampoline)
        return true
    }
}
