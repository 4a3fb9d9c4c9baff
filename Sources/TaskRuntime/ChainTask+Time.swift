import TaskEvents

extension ChainTask where Value == Void {
    /// A task that succeeds after `duration`, on a thread of no executor; never before it is returned, also for none or a negative one.
    /// A cancelled token cancels it at once.
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

/// What a task with a timeout fails with when its time is up.
public struct ChainTimeoutError: Error, CustomStringConvertible {
    /// How long the task had.
    public let duration: Duration

    public var description: String { "not ended after \(duration)" }
}

extension ChainTask {
    /// A task that ends as this one does, if that is within `duration`; else it fails with a ``ChainTimeoutError``.
    ///
    /// The original goes on: only its own token can stop it, and the new task ignores its end. An error that it ends
    /// with after that is unobserved unless other code reads it. The new task is a join of one; its timer goes with the end of either, or
    /// with `cancellation`, which cancels the new task at once.
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
