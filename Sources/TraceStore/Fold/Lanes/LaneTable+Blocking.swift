import TaskEvents

/// The time for which threads blocked while they ran the bodies of tasks.
extension LaneTable {
    /// A thread no longer blocks. It blocked each body that it runs: the waiting one, and those in which that one runs inline.
    mutating func endWait(_ event: EventReference, lane: UInt16, _ tasks: inout TaskTable) {
        guard let (wait, bodies) = endWait(lane) else { return }
        let waiter = wait.waiter.rawValue
        if !bodies.contains(where: { $0.task == waiter }) { tasks.block(waiter, from: wait.since, until: event.time) }
        for (index, body) in bodies.enumerated() where !bodies[..<index].contains(where: { $0.task == body.task }) {
            tasks.block(body.task, from: max(wait.since, body.began), until: event.time)
        }
    }
}
