import TaskEvents
import TraceTransport

/// The hops of tasks' jobs.
extension Fold {
    mutating func hopped(_ event: EventPlace, lane: UInt16) {
        let manner = HopManner(rawValue: event.detail) ?? .dispatched
        let inline = InlineHops(event.other)
        if manner == .inline || manner == .left { endStay(event, inline, lane: lane) }
        guard manner != .left else { return }
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        unfoldHop(of: task)
        let (hop, record) = hops.add(
            HopRecord(
                at: event.time, from: inline.from.rawValue, to: event.executor.rawValue, manner: manner, count: inline.count))
        // No record reports that a job began on an actor that was free, so the hop counts as the job.
        if manner == .inline { executor(event.executor.rawValue).pointee.jobs += Int(clamping: inline.count) }
        takeWait(ofLate: record, task)
        let last = task.pointee.hops.last
        guard last >= 0 else {
            record.pointee.next = hop
            task.pointee.hops = TaskHops(last: hop)
            return
        }
        var previous = last
        if hops.writing(last).pointee.at > event.time {
            var next = hops.writing(last).pointee.next
            while hops.writing(next).pointee.at <= event.time {
                previous = next
                next = hops.writing(next).pointee.next
            }
        }
        record.pointee.next = hops.writing(previous).pointee.next
        hops.writing(previous).pointee.next = hop
        if hops.writing(last).pointee.at <= event.time { task.pointee.hops = TaskHops(last: hop) }
        if hops.count > retention.hops { forgetFirstHop(of: task) }
    }

    /// A task with fewer hops forgets none.
    private static var leastHops: Int { 16 }

    /// Adds the earliest hop to the sum of the task's forgotten hops.
    @inline(never)
    private mutating func forgetFirstHop(of task: UnsafeMutablePointer<TaskRecord>) {
        let last = task.pointee.hops.last
        let first = hops.reading(last).pointee.next
        let record = hops.writing(first)
        guard record.pointee.isSum else {
            var hop = first
            for _ in 1..<Self.leastHops {
                if hop == last { return }
                hop = hops.reading(hop).pointee.next
            }
            record.pointee = HopRecord(forgotten: record.pointee.count, next: record.pointee.next)
            return
        }
        let second = record.pointee.next
        let forgotten = hops.reading(second).pointee
        record.pointee = HopRecord(forgotten: record.pointee.count.plus(forgotten.count), next: forgotten.next)
        hops.remove(second)
    }

    /// The record of this hop came after its job had begun, so its wait follows from the task's times.
    private mutating func takeWait(ofLate hop: UnsafeMutablePointer<HopRecord>, _ task: UnsafeMutablePointer<TaskRecord>) {
        guard task.pointee.startedAfter != TaskRecord.never, !task.pointee.marks.contains(.owesEnqueued),
            let started = time(.started, of: task), let queued = time(.queued, of: task), queued >= hop.pointee.at
        else { return }
        hop.pointee.wait = started > queued ? started - queued : 0
    }

    /// The latest hop of a task at or before `time`; nil for a hop without a record, whose wait is over.
    @inline(__always)
    func lastHop(of task: UnsafePointer<TaskRecord>, by time: UInt64) -> Int32? {
        let last = task.pointee.hops.last
        guard last >= 0 else { return nil }
        if hops.reading(last).pointee.at <= time { return last }
        return earlierHop(in: last, by: time)
    }

    private func earlierHop(in last: Int32, by time: UInt64) -> Int32? {
        var found: Int32?
        var hop = hops.reading(last).pointee.next
        while hops.reading(hop).pointee.at <= time {
            if !hops.reading(hop).pointee.isSum { found = hop }
            hop = hops.reading(hop).pointee.next
        }
        return found
    }

    mutating func freeHops(of task: UnsafeMutablePointer<TaskRecord>) {
        let last = task.pointee.hops.last
        guard last >= 0 else { return }
        var hop = hops.reading(last).pointee.next
        while true {
            let next = hops.reading(hop).pointee.next
            hops.remove(hop)
            if hop == last { return }
            hop = next
        }
    }

    // MARK: Hops without a record

    /// A body begins. Frees the record of the task's only hop if the task's record holds all other facts about it.
    @inline(__always)
    mutating func foldHop(of task: UnsafeMutablePointer<TaskRecord>) {
        let last = task.pointee.hops.last
        guard last >= 0 else { return }
        let hop = hops.reading(last)
        guard hop.pointee.next == last, hop.pointee.to == task.pointee.executor, let queued = time(.queued, of: task),
            let started = time(.started, of: task), started >= queued, hop.pointee.wait == started - queued,
            let short = TaskHops(hop.pointee, queued: queued)
        else { return }
        hops.remove(last)
        task.pointee.hops = short
    }

    /// Creates the record of a hop that has none, before the facts it is derived from change.
    @inline(__always)
    mutating func unfoldHop(of task: UnsafeMutablePointer<TaskRecord>) {
        if task.pointee.hops.isShort { giveRecord(toHopOf: task) }
    }

    private mutating func giveRecord(toHopOf task: UnsafeMutablePointer<TaskRecord>) {
        guard let hop = shortHop(of: task) else { return }
        let (index, record) = hops.add(hop)
        record.pointee.next = index
        task.pointee.hops = TaskHops(last: index)
    }

    /// The task's only hop, if it has no record.
    @inline(__always)
    func shortHop(of task: UnsafePointer<TaskRecord>) -> HopRecord? {
        guard task.pointee.hops.isShort, let queued = time(.queued, of: task), let started = time(.started, of: task) else { return nil }
        return task.pointee.hops.record(to: task.pointee.executor, queued: queued, started: started)
    }
}
