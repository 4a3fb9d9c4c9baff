import TaskEvents

extension ChainTask where Value == Void {
    /// A task that succeeds after `duration`, on a thread of no executor. It never succeeds before this returns, even if `duration` is zero
    /// or negative. Cancelling the token cancels the task at once.
    public static func delay(
        _ duration: Duration, cancellation: CancellationToken? = nil, name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ChainTask<Void> {
        let task = ChainTask<Void>(kind: .delay, name: name, or: "delay", fileID: fileID, line: line)
        if let cancellation { task.obey(cancellation) }
        guard !task.isCompleted else { return task }
        let timer = Timers.current.schedule(after: duration) {
            Trampoline.run { task.end(with: (), .own, &$0) }
        }
        task.onEnd { timer.cancel() }
        return task
    }
}

/// The error of a task whose timeout has passed.
public struct ChainTimeoutError: Error, CustomStringConvertible {
    /// The timeout.
    public let duration: Duration

    /// The time that was waited for, in words.
    public var description: String { "not ended after \(duration)" }
}

extension ChainTask {
    /// A task that ends like this one if this one ends within `duration`. Otherwise it fails with a ``ChainTimeoutError``.
    ///
    /// The timeout does not stop the original task; only its own token can. The new task ignores a later end of the original, and an error
    /// of that end is unobserved unless other code reads it. The new task is a join of one input. Its timer is removed when either task
    /// ends. Cancelling `cancellation` cancels the new task at once.
    public func timeout(
        after duration: Duration, cancellation: CancellationToken? = nil, name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ChainTask<Value> {
        let task = ChainTask(kind: .join, name: name, or: "timeout", fileID: fileID, line: line, antecedent: self)
        if let cancellation { task.obey(cancellation) }
        whenEnded { original, _, trampoline in
            task.end(as: original, &trampoline)
            return .over
        }
        guard !task.isCompleted else { return task }
        let timer = Timers.current.schedule(after: duration) {
            Trampoline.run { task.endFaulted(with: ChainTimeoutError(duration: duration), .own, &$0) }
        }
        task.onEnd { timer.cancel() }
        return task
    }
}
