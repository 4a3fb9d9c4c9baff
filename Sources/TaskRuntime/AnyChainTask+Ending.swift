import TaskEvents

/// The ways to an end that do not depend on the value's type. The answers say whether this call ended the task.
extension AnyChainTask {
    @discardableResult
    func endFaulted(
        with error: any Error, _ cause: EndCause, by claimant: TaskStateMachine.Claimant = .owner, _ trampoline: inout Trampoline
    ) -> Bool {
        guard claim(by: claimant) else { return false }
        fault(with: error, cause, &trampoline)
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

    /// Ends the task with what its body threw.
    func endThrowing(_ error: any Error, reads: [ErrorRead], _ trampoline: inout Trampoline) {
        if error is CancellationError {
            endCancelled(.own, &trampoline)
        } else {
            let source = reads.isEmpty ? SwiftTask.source(of: error) : nil
            endFaulted(with: error, source.map { .following($0) } ?? EndCause(throwing: error, after: reads), &trampoline)
        }
    }

    /// Ends the task as `other`, whose value is of the same type, did: as its continuation, its input or its body's result.
    func end(as other: AnyChainTask, _ trampoline: inout Trampoline) {
        if claim() { take(other, &trampoline) }
    }

    /// As `end(as:)`, after a claim. The types of the values need to be the same only if there is a value.
    func take(_ other: AnyChainTask, _ trampoline: inout Trampoline) {
        let cause = EndCause.following(other.id)
        switch other.currentEnding {
        case .succeeded:
            adoptValue(of: other)
            succeed(cause, &trampoline)
        case .faulted:
            fault(with: other.unreadError!, cause, &trampoline)
        case .cancelled:
            cancel(cause, &trampoline)
        case .none:
            preconditionFailure("a pending task has no outcome to follow")
        }
    }

    /// Ends the task as its antecedent ended, because its body does not apply. Its executor is not touched.
    func skip(_ antecedent: AnyChainTask, _ trampoline: inout Trampoline) {
        Emit.skipped(id, antecedent: antecedent.id)
        end(as: antecedent, &trampoline)
    }

    /// Waits for the task that the body returned, and ends as it does.
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

    /// Ends the task as cancelled as soon as the token is, unless its body is running or it has ended by then.
    @usableFromInline
    final func obey(_ token: CancellationToken) {
        let registration = token.onCancel { [weak self] in
            guard let self else { return }
            Trampoline.run { self.endCancelled(.token, by: .token, &$0) }
        }
        onEnd { registration.cancel() }
    }

    /// Ends a task whose body has not begun as cancelled if the token is, also where the token's actions have not yet come to it:
    /// an earlier one may be what ended its antecedent. The answer is whether the token is cancelled.
    func heeds(_ token: CancellationToken?, _ trampoline: inout Trampoline) -> Bool {
        guard let token, token.isCancellationRequested else { return false }
        endCancelled(.token, by: .token, &trampoline)
        return true
    }
}
