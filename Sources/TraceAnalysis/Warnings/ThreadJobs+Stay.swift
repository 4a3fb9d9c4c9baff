import TaskEvents

extension ThreadJobs {
    /// The time that a slice spent on one executor. A slice can take a free actor without waiting for it.
    struct Stay: Hashable {
        var task: TaskID
        var executor: ExecutorID
        var since: UInt64
        /// The same scale as in ``Job``.
        var priority: UInt8
        /// The kind of the event at which the stay began. Nil if no event of its own tells of that.
        var beginning: EventKind?
    }

    /// The stay that this event ends: the slice's task moves on, suspends or ends. Nil if the trace does not show how long the stay was.
    ///
    /// A record of several hops gives the sum of their stays, so only a record of one hop ends a stay.
    func stay(endedBy event: TaskEvent, lane: Int) -> Stay? {
        guard let job = slice(endedBy: event, lane: lane) else { return nil }
        let known = lanes[firstLane(of: lane)].stay
        guard event.kind == .hopped else {
            guard let known else {
                return Stay(task: job.task, executor: job.executor, since: job.since, priority: job.priority, beginning: .started)
            }
            return event.executor == .none || event.executor == known.executor ? known : nil
        }
        guard HopManner(rawValue: event.detail)?.isWithinSlice == true else { return nil }
        let hops = InlineHops(event.other)
        guard hops.count == 1, hops.nanoseconds > 0 else { return nil }
        let since = max(job.since, event.time - min(event.time, hops.nanoseconds))
        return Stay(task: job.task, executor: hops.from, since: since, priority: job.priority, beginning: nil)
    }
}

extension HopManner {
    /// Whether the slice goes on after the hop.
    package var isWithinSlice: Bool {
        switch self {
        case .inline, .left: true
        case .dispatched, .depthGuard: false
        }
    }
}
