import TraceTransport

/// The hops of tasks. A task's hops form a ring of records in the order of their times, or are a single hop in short form.
struct HopTable: ~Copyable {
    private(set) var records: Pool<HopRecord>
    private var latest = LatestHops()
    /// The number of searches that went through the hops of a task from its earliest one on.
    private(set) var longSearches = 0

    init(records: consuming Pool<HopRecord>) {
        self.records = records
    }

    func copy() -> HopTable { HopTable(records: records.copy()) }

    /// Adds a hop to a task that has none in short form. Above `limit` hops, a task with many forgets its earliest one.
    @inline(__always)
    mutating func insert(_ hop: HopRecord, of task: UnsafeMutablePointer<TaskRecord>, limit: Int) {
        let (index, record) = records.add(hop)
        let last = task.pointee.hops.last
        guard last >= 0 else {
            record.pointee.next = index
            task.pointee.hops = TaskHops(last: index)
            latest.put(index, after: -1)
            return
        }
        let isLast = records.writing(last).pointee.at <= hop.at
        let previous = isLast ? last : position(in: last, by: hop.at)
        let next = records.writing(previous).pointee.next
        record.pointee.next = next
        records.writing(previous).pointee.next = index
        latest.put(index, after: !isLast && previous == last ? -1 : previous)
        if isLast { task.pointee.hops = TaskHops(last: index) } else { latest.put(next, after: index) }
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
        let last = task.pointee.hops.last
        guard last >= 0 else { return }
        var hop = last
        if records.reading(last).pointee.at > time {
            hop = position(in: last, by: time)
            if hop == last || records.reading(hop).pointee.isSum { return }
        }
        guard records.reading(hop).pointee.wait == nil else { return }
        records.writing(hop).pointee.wait = wait
    }

    /// The latest hop of a task at or before `time`; nil for a hop without a record, whose wait is over.
    @inline(__always)
    func last(of task: UnsafePointer<TaskRecord>, by time: UInt64) -> Int32? {
        let last = task.pointee.hops.last
        guard last >= 0 else { return nil }
        if records.reading(last).pointee.at <= time { return last }
        let hop = recent(in: last, by: time) ?? earlier(in: last, by: time)
        return hop == last || records.reading(hop).pointee.isSum ? nil : hop
    }

    // MARK: Searching

    /// The record after which a hop of the given time comes, in a ring whose last hop is later. That is the latest hop at or before the
    /// time, or the sum of the forgotten ones, or `last` if there is none.
    private mutating func position(in last: Int32, by time: UInt64) -> Int32 {
        if let hop = recent(in: last, by: time) { return hop }
        longSearches += 1
        return earlier(in: last, by: time)
    }

    /// Goes back from the last hop. Nil if the hop is not among the latest ones.
    private func recent(in last: Int32, by time: UInt64) -> Int32? {
        var hop = last
        // A task that forgets hops keeps more than these.
        for _ in 0..<Self.leastHops / 2 {
            guard let previous = latest.before(hop) else { return nil }
            if previous < 0 { return last }
            if records.reading(previous).pointee.at <= time { return previous }
            hop = previous
        }
        return nil
    }

    private func earlier(in last: Int32, by time: UInt64) -> Int32 {
        var found = last
        var hop = records.reading(last).pointee.next
        while records.reading(hop).pointee.at <= time {
            found = hop
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
        latest.put(index, after: -1)
    }
}

/// The order of the hops that were added last. A ring has no links back, and a search that begins with the earliest of a task's 65,536 hops
/// takes too long for each event.
private struct LatestHops {
    private static let count = 1024
    /// By the last bits of a record's index, that index, and the index of the record before it in its ring, -1 for the first. Empty until
    /// there is a hop, because a keyframe needs none of it.
    private var hops: [(hop: Int32, before: Int32)] = []

    @inline(__always)
    mutating func put(_ hop: Int32, after previous: Int32) {
        if hops.isEmpty { hops = Array(repeating: (-1, -1), count: Self.count) }
        hops[Int(hop) & (Self.count - 1)] = (hop, previous)
    }

    /// The record before `hop`, -1 if it is the first one. Nil if `hop` is not among the latest ones.
    func before(_ hop: Int32) -> Int32? {
        guard !hops.isEmpty else { return nil }
        let known = hops[Int(hop) & (Self.count - 1)]
        return known.hop == hop ? known.before : nil
    }
}
