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
