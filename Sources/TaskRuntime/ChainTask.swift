import TaskEvents

/// A value that will be there later, or an error, or a cancellation; and the point from which a chain goes on.
///
/// A task ends exactly once. What continues from it is called in the order it was added, with no lock held, and whoever adds a
/// continuation to an ended task sees it run, through its executor, before the next line. Any thread may use a task.
///
/// The line of ancestors is Bolts (`BFTask`, `AWSTask`), SwiftTask and AlecrimAsyncKit; where they differ, this type does as the
/// member's comment says, and each library's own ways are in a module of its own.
public final class ChainTask<Value: Sendable>: AnyChainTask, @unchecked Sendable {
    /// Written once, by whoever has claimed the end, before it is published.
    private var storage: Outcome<Value>?

    // MARK: Finished tasks

    /// A task that has succeeded. It begins a chain, is called `value` unless a name is given, and belongs to no executor.
    public convenience init(_ value: Value, name: String? = nil, file: StaticString = #fileID, line: UInt = #line) {
        self.init(kind: .root, name: name, or: "value", file: file, line: line)
        Trampoline.run { end(.success(value), .succeeded, &$0) }
    }

    /// A task that has failed, also if the error is a `CancellationError`: only `throw` cancels. It is called `error` unless a name is given.
    public convenience init(error: any Error, name: String? = nil, file: StaticString = #fileID, line: UInt = #line) {
        self.init(kind: .root, name: name, or: "error", file: file, line: line)
        Trampoline.run { end(.faulted(error), .faulted(.thrown), &$0) }
    }

    /// A task that was cancelled. It is called `cancelled` unless a name is given.
    public static func cancelled(name: String? = nil, file: StaticString = #fileID, line: UInt = #line) -> ChainTask<Value> {
        let task = ChainTask<Value>(kind: .root, name: name, or: "cancelled", file: file, line: line)
        Trampoline.run { task.end(.cancelled, .cancelled(.asked), &$0) }
        return task
    }

    // MARK: What it came to

    /// How it ended; nil while it is pending. Looking at a failed task's outcome reads its error.
    public var outcome: Outcome<Value>? {
        guard let outcome = unreadOutcome else { return nil }
        if case .faulted(let error) = outcome { noteErrorRead(error) }
        return outcome
    }

    /// Its value; nil while it is pending and if it did not succeed. This reads no error.
    public var result: Value? {
        guard case .success(let value) = unreadOutcome else { return nil }
        return value
    }

    /// Its error, which counts as read from then on; nil unless it has failed.
    public var error: (any Error)? {
        guard case .faulted(let error) = unreadOutcome else { return nil }
        noteErrorRead(error)
        return error
    }

    /// The outcome for the runtime's own use, which reads no error.
    var unreadOutcome: Outcome<Value>? {
        currentEnding == .none ? nil : storage
    }

    // MARK: Ending it

    /// What the trace says of an end.
    enum EndEvent {
        case succeeded
        /// Set from outside, at that place.
        case set(EntryID)
        case faulted(FaultManner, from: TaskID = .none)
        case cancelled(CancellationManner, by: TaskID = .none)
    }

    /// Ends the task, if nobody has, and lets what waits for it go on. The answer is whether this call ended it.
    @discardableResult
    func end(
        _ outcome: Outcome<Value>, _ event: EndEvent, by claimant: TaskStateMachine.Claimant = .owner, _ trampoline: inout Trampoline
    ) -> Bool {
        guard claim(by: claimant) else { return false }
        storage = outcome
        switch (outcome, event) {
        case (.success, .set(let site)):
            Emit.completed(id, site: site)
        case (.faulted(let error), .faulted(let manner, let source)):
            Emit.faulted(id, error: Emit.error(error), manner, from: source)
        case (.cancelled, .cancelled(let manner, let other)):
            Emit.cancelled(id, manner, by: other)
        case (.success, _), (.faulted, _), (.cancelled, _):
            precondition({ if case .success = outcome { true } else { false } }(), "an end as \(outcome) was announced as \(event)")
            Emit.completed(id)
        }
        publish(outcome.ending, &trampoline)
        return true
    }

    /// Ends the task as `other` did, which it has followed: as its continuation, its input or its body's result.
    func end(as other: ChainTask<Value>, _ trampoline: inout Trampoline) {
        guard let outcome = other.unreadOutcome else { preconditionFailure("a pending task has no outcome to follow") }
        switch outcome {
        case .success: end(outcome, .succeeded, &trampoline)
        case .faulted: end(outcome, .faulted(.forwarded, from: other.id), &trampoline)
        case .cancelled: end(outcome, .cancelled(.forwarded, by: other.id), &trampoline)
        }
    }

    /// Ends the task with what its body came to.
    func end(with result: Result<Value, any Error>, reads: [ErrorRead], _ trampoline: inout Trampoline) {
        switch result {
        case .success(let value): end(.success(value), .succeeded, &trampoline)
        case .failure(let error): fail(with: error, reads: reads, &trampoline)
        }
    }

    /// Ends the task with what its body threw: an error of its own, one that it had read, or one in place of it.
    func fail(with error: any Error, reads: [ErrorRead], _ trampoline: inout Trampoline) {
        if error is CancellationError {
            end(.cancelled, .cancelled(.thrown), &trampoline)
        } else if let again = reads.first(where: { $0.isSame(as: error) }) {
            end(.faulted(error), .faulted(.forwarded, from: again.task), &trampoline)
        } else if let replaced = reads.first {
            end(.faulted(error), .faulted(.transformed, from: replaced.task), &trampoline)
        } else {
            end(.faulted(error), .faulted(.thrown), &trampoline)
        }
    }

    /// Waits for the task that the body returned, and ends as it does.
    func follow(_ inner: ChainTask<Value>, _ trampoline: inout Trampoline) {
        Emit.antecedent(inner.id, of: id, role: .inner)
        guard inner.isCompleted else {
            awaitInner()
            Emit.suspended(id, .innerTask, awaiting: inner.id)
            inner.whenEnded(&trampoline) { [self] inner, trampoline in
                guard !isCompleted else { return }
                Emit.resumed(id)
                end(as: unsafeDowncast(inner, to: ChainTask<Value>.self), &trampoline)
            }
            return
        }
        end(as: inner, &trampoline)
    }

    /// Ends the task as cancelled as soon as the token is, unless its body is running or it has ended by then.
    func cancel(with token: CancellationToken?) {
        guard let token, !isCompleted else { return }
        let registration = token.onCancel { [weak self] in
            guard let self else { return }
            Trampoline.run { self.end(.cancelled, .cancelled(.token), by: .token, &$0) }
        }
        Trampoline.run { whenEnded(&$0) { _, _ in registration.cancel() } }
    }

    /// Ends a task whose body has not begun as cancelled if the token is, also where the token's actions have not yet come to it:
    /// an earlier one may be what ended its antecedent. The answer is whether the token is cancelled.
    func obey(_ token: CancellationToken?, _ trampoline: inout Trampoline) -> Bool {
        guard let token, token.isCancellationRequested else { return false }
        end(.cancelled, .cancelled(.token), by: .token, &trampoline)
        return true
    }
}

extension Outcome {
    var ending: AnyChainTask.Ending {
        switch self {
        case .success: .succeeded
        case .faulted: .faulted
        case .cancelled: .cancelled
        }
    }
}
