import TaskEvents

/// The time for which threads blocked while they ran the bodies of tasks.
extension Fold {
    /// A thread no longer blocks. It blocked each body that it runs: the waiting one, and those in which that one runs inline.
    mutating func waitEnded(_ event: EventReference, lane: UInt16) {
        guard let (wait, bodies) = lanes.endWait(lane) else { return }
        let waiter = wait.waiter.rawValue
        if !bodies.contains(where: { $0.task == waiter }) { block(waiter, from: wait.since, until: event.time) }
        for (index, body) in bodies.enumerated() where !bodies[..<index].contains(where: { $0.task == body.task }) {
            block(body.task, from: max(wait.since, body.began), until: event.time)
        }
    }

    /// A body that suspended or ended before its job returned does not run any more.
    private mutating func block(_ id: UInt64, from start: UInt64, until end: UInt64) {
        guard id != 0, end > start, let row = tasks.row(of: id) else { return }
        let task = tasks.records.writing(row)
        guard task.pointee.state == .running else { return }
        tasks.extra(of: task).pointee.blocked += end - start
    }
}
