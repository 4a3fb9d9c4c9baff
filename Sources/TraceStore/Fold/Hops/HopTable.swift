import TraceTransport

/// The hops of tasks. A task's hops form a ring of records in the order of their times, or are a single hop in short form.
struct HopTable: ~Copyable {
    private(set) var records: Pool<HopRecord>

    func copy() -> HopTable { HopTable(records: records.copy()) }

    /// Adds a hop to a task that has none in short form. Above `limit` hops, a task with many forgets its earliest one.
    @inline(__always)
    mutating func insert(_ hop: HopRecord, of task: UnsafeMutablePointer<TaskRecord>, limit: Int) {
        let (index, record) = records.add(hop)
        let last = task.pointee.hops.last
        guard last >= 0 else {
            record.pointee.next = index
            task.pointee.hops = TaskHops(last: index)
            return
        }
        var previous = last
        if records.writing(last).pointee.at > hop.at {
            var next = records.writing(last).pointee.next
            while records.writing(next).pointee.at <= hop.at {
                previous = next
                next = records.writing(next).pointee.next
            }
        }
        record.pointee.next = records.writing(previous).pointee.next
        records.writing(previous).pointee.next = index
        if records.writing(last).pointee.at <= hop.at { task.pointee.hops = TaskHops(last: index) }
        if records.count > limit { forgetFirst(of: task) }
    }

    /// A task with fewer hops forgets none.
    private static var leastHops: Int { 16 }

    /// Adds the earliest hop to the sum of the task's forgotten hops.
    @inline(never)
    private mutating func forgetFirst(of task: UnsafeMutablePointer<TaskRecord>) {
        let last = task.pointee.hops.last
        let first = records.reading(last).pointee.next
        let record = records.writing(first)
        guard record.pointee.isSum else {
            var hop = first
            for _ in 1..<Self.leastHops {
                if hop == last { return }
                hop = records.reading(hop).pointee.next
            }
            record.pointee = HopRecord(forgotten: record.pointee.count, next: record.pointee.next)
            return
        }
        let second = record.pointee.next
        let forgotten = records.reading(second).pointee
        record.pointee = HopRecord(forgotten: record.pointee.count.plus(forgotten.count), next: forgotten.next)
        records.remove(second)
    }

    /// Records how long the hop that enqueued a job at `time` had to wait, unless that is known.
    @inline(__always)
    mutating func record(wait: UInt64, ofJobQueuedAt time: UInt64, of task: UnsafePointer<TaskRecord>) {
        guard let hop = last(of: task, by: time), records.reading(hop).pointee.wait == nil else { return }
        records.writing(hop).pointee.wait = wait
    }

    /// The latest hop of a task at or before `time`; nil for a hop without a record, whose wait is over.
    @inline(__always)
    func last(of task: UnsafePointer<TaskRecord>, by time: UInt64) -> Int32? {
        let last = task.pointee.hops.last
        guard last >= 0 else { return nil }
        if records.reading(last).pointee.at <= time { return last }
        return earlier(in: last, by: time)
    }

    private func earlier(in last: Int32, by time: UInt64) -> Int32? {
        var found: Int32?
        var hop = records.reading(last).pointee.next
        while records.reading(hop).pointee.at <= time {
            if !records.reading(hop).pointee.isSum { found = hop }
            hop = records.reading(hop).pointee.next
        }
        return found
    }

    /// The number of a task's hops, including the forgotten ones.
    func count(of task: UnsafePointer<TaskRecord>) -> UInt64 {
        let last = task.pointee.hops.last
        guard last >= 0 else { return task.pointee.hops.isShort ? 1 : 0 }
        var count: UInt64 = 0
        var hop = last
        repeat {
            let record = records.reading(hop)
            count += record.pointee.count
            hop = record.pointee.next
        } while hop != last
        return count
    }

    mutating func removeAll(of task: UnsafeMutablePointer<TaskRecord>) {
        let last = task.pointee.hops.last
        guard last >= 0 else { return }
        var hop = records.reading(last).pointee.next
        while true {
            let next = records.reading(hop).pointee.next
            records.remove(hop)
            if hop == last { return }
            hop = next
        }
    }

    // MARK: Short form

    /// Frees the record of the task's only hop if the task's record holds all other facts about it.
    @inline(__always)
    mutating func shorten(_ task: UnsafeMutablePointer<TaskRecord>, queued: UInt64, started: UInt64) {
        let last = task.pointee.hops.last
        let hop = records.reading(last)
        guard hop.pointee.next == last, hop.pointee.to == task.pointee.executor, started >= queued, hop.pointee.wait == started - queued,
            let short = TaskHops(hop.pointee, queued: queued)
        else { return }
        records.remove(last)
        task.pointee.hops = short
    }

    /// Stores a hop that was in short form in a record.
    mutating func restore(_ hop: HopRecord, of task: UnsafeMutablePointer<TaskRecord>) {
        let (index, record) = records.add(hop)
        record.pointee.next = index
        task.pointee.hops = TaskHops(last: index)
    }
}
