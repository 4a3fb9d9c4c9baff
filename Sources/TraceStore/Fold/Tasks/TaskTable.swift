import TaskEvents
import TraceTransport

/// The tasks, each with what belongs to it alone: its times, its earlier states, its hops, and its lists of other tasks.
///
/// Functions take a task's record, which stays where it is until the task is evicted.
struct TaskTable: ~Copyable {
    private(set) var records: Pool<TaskRecord>
    var extras: Pool<TaskExtra>
    var histories: StateHistories
    var hops: HopTable
    var mentions: MentionTable
    var cancellations: CancellationTable
    private(set) var ids: IDMap
    var counts: TaskCounts
    var waits: WaitPlaces
    var unnamed: UnnamedWaits

    var bytes: Int {
        ids.bytes + records.bytes + extras.bytes + histories.bytes + hops.records.bytes + mentions.records.bytes
            + cancellations.records.bytes
    }

    // MARK: Rows

    /// The row of a task that is kept.
    @inline(__always)
    func row(of id: UInt64) -> Int32? {
        guard case .row(let row) = ids.lookup(id) else { return nil }
        return row
    }

    /// Adds a task that no record has named before.
    @inline(__always)
    mutating func add(
        _ id: UInt64, at time: UInt64, flags: TaskRecord.Flags, chain: Int32
    ) -> (row: Int32, task: UnsafeMutablePointer<TaskRecord>) {
        let (row, task) = records.add(TaskRecord(id: id, created: time, chain: chain, flags: flags))
        ids.set(id, row: row)
        if IDMap.isBlock(id) {
            counts.seenBlocks &+= 1
        } else {
            if flags.contains(.isSynthesised) { counts.synthesised += 1 }
            counts.seen &+= 1
        }
        counts.byState[TaskCounts.index(of: .pending, id)] &+= 1
        return (row, task)
    }

    /// Evicts a task.
    mutating func evict(_ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>) {
        hops.removeAll(of: task)
        let extra = task.pointee.extra
        if extra >= 0 { removeExtra(extra) } else { histories.remove(extra) }
        ids.evict(task.pointee.id)
        if IDMap.isBlock(task.pointee.id) {
            counts.evictedBlocks += 1
        } else if task.pointee.kind != .internal {
            counts.evicted += 1
        }
        records.remove(row)
    }

    private mutating func removeExtra(_ index: Int32) {
        let extra = extras.writing(index).pointee
        histories.remove(extra.history)
        let lists = [extra.lastReader, extra.lastAwaited, extra.lastAwaiter, extra.lastResumer]
        for last in lists where last >= 0 { mentions.removeAll(of: last) }
        if extra.cancellation >= 0 { cancellations.records.remove(extra.cancellation) }
        extras.remove(index)
    }

    @inline(__always)
    mutating func change(_ task: UnsafeMutablePointer<TaskRecord>, to state: TaskState) {
        if task.pointee.kind != .internal {
            counts.move(task.pointee.id, from: task.pointee.state, to: state)
        }
        task.pointee.state = state
    }

    /// Sets the kind of a task, once: those that a runtime made for itself count apart.
    @inline(__always)
    mutating func set(_ kind: TaskKind, of task: UnsafeMutablePointer<TaskRecord>) {
        task.pointee.kind = kind
        guard kind == .internal else { return }
        counts.internal &+= 1
        counts.seen &-= 1
        counts.byState[TaskCounts.index(of: task.pointee.state, task.pointee.id)] &-= 1
    }

    /// The task's extra for reading; nil if it has none.
    @inline(__always)
    func knownExtra(of task: UnsafePointer<TaskRecord>) -> UnsafePointer<TaskExtra>? {
        task.pointee.extra < 0 ? nil : extras.reading(task.pointee.extra)
    }

    /// The task's extra, which is made if it has none.
    mutating func extra(of task: UnsafeMutablePointer<TaskRecord>) -> UnsafeMutablePointer<TaskExtra> {
        if task.pointee.extra < 0 { task.pointee.extra = extras.insert(TaskExtra(history: task.pointee.extra)) }
        return extras.writing(task.pointee.extra)
    }

    /// Clears the synthesised flag of a task whose creation came late. After a loss the flag stays, because other records may be missing
    /// too.
    mutating func fillIn(_ task: UnsafeMutablePointer<TaskRecord>, createdAt time: UInt64, afterLoss: Bool) {
        rebase(task, to: time)
        if task.pointee.isAdopted { counts.adopted -= 1 }
        task.pointee.flags.insert(.knowsCreated)
        guard !afterLoss else { return }
        task.pointee.flags.remove(.isSynthesised)
        if !IDMap.isBlock(task.pointee.id) { counts.synthesised -= 1 }
    }

    /// Adds the time for which a thread blocked while it ran the task's body. A body that suspended or ended before its job returned does
    /// not run any more.
    mutating func block(_ id: UInt64, from start: UInt64, until end: UInt64) {
        guard id != 0, end > start, let row = row(of: id) else { return }
        let task = records.writing(row)
        guard task.pointee.state == .running else { return }
        let extra = extra(of: task)
        extra.pointee.blocked = extra.pointee.blocked.plus(end - start)
    }

    // MARK: Lists of other tasks

    /// The most awaited tasks or awaiters that are kept per task; the latest are kept. It bounds a task that awaits others for as long as
    /// the program runs, and a task that all others await.
    private static var mostAwaits: UInt16 { 1024 }

    /// Records that a task awaits another task's value, or has received it.
    mutating func recordAwait(of awaited: UnsafeMutablePointer<TaskRecord>, by task: UnsafeMutablePointer<TaskRecord>) {
        let waiting = extra(of: task)
        waiting.pointee.hasGoneOn = false
        guard mentions.append(awaited.pointee.id, to: &waiting.pointee.lastAwaited) else { return }
        keepLatest(waiting.pointee.lastAwaited, &waiting.pointee.awaitedCount)
        let extra = extra(of: awaited)
        mentions.append(task.pointee.id, to: &extra.pointee.lastAwaiter)
        keepLatest(extra.pointee.lastAwaiter, &extra.pointee.awaiterCount)
    }

    /// Records that a block resumed the task's continuation.
    mutating func recordResumption(of task: UnsafeMutablePointer<TaskRecord>, by block: UnsafeMutablePointer<TaskRecord>) {
        let resumed = extra(of: task)
        guard mentions.append(block.pointee.id, to: &resumed.pointee.lastResumer) else { return }
        keepLatest(resumed.pointee.lastResumer, &resumed.pointee.resumerCount)
        let extra = extra(of: block)
        guard mentions.append(task.pointee.id, to: &extra.pointee.lastAwaiter) else { return }
        keepLatest(extra.pointee.lastAwaiter, &extra.pointee.awaiterCount)
    }

    /// Records that another task's code resumed the task's continuation. A block lists the tasks that it resumed, a task does not.
    mutating func recordResumption(of task: UnsafeMutablePointer<TaskRecord>, byTask id: UInt64) {
        let resumed = extra(of: task)
        guard mentions.append(id, to: &resumed.pointee.lastResumer) else { return }
        keepLatest(resumed.pointee.lastResumer, &resumed.pointee.resumerCount)
    }

    private mutating func keepLatest(_ last: Int32, _ count: inout UInt16) {
        guard count == Self.mostAwaits else {
            count += 1
            return
        }
        mentions.removeFirst(of: last)
    }

    /// The task whose value was awaited last, if it has not ended: then it is still awaited.
    func awaitedNow(by task: UnsafePointer<TaskRecord>) -> UInt64? {
        guard let last = knownExtra(of: task)?.pointee.lastAwaited, last >= 0 else { return nil }
        let id = mentions.records.reading(last).pointee.id
        guard let row = row(of: id), !records.reading(row).pointee.state.hasEnded else { return nil }
        return id
    }

    mutating func removeReaders(of task: UnsafeMutablePointer<TaskRecord>) {
        let extra = extra(of: task)
        if extra.pointee.lastReader >= 0 { mentions.removeAll(of: extra.pointee.lastReader) }
        extra.pointee.lastReader = -1
    }

    /// Records that a task read another task's error. Returns whether it is the first to do so.
    mutating func addReader(_ reader: UInt64, of task: UnsafeMutablePointer<TaskRecord>, isProven: Bool) -> Bool {
        let extra = extra(of: task)
        let isFirst = extra.pointee.lastReader < 0
        // One body may read its antecedent's error any number of times.
        mentions.append(reader, to: &extra.pointee.lastReader, isProven: isProven)
        return isFirst
    }
}

extension TaskTable {
    init(memory: PageMemory) {
        self.init(
            records: Pool(memory: memory), extras: Pool(memory: memory), histories: StateHistories(memory: memory),
            hops: HopTable(records: Pool(memory: memory)), mentions: MentionTable(records: Pool(memory: memory)),
            cancellations: CancellationTable(memory: memory),
            ids: IDMap(memory: memory), counts: TaskCounts(), waits: WaitPlaces(), unnamed: UnnamedWaits())
    }

    func copy() -> TaskTable {
        TaskTable(
            records: records.copy(), extras: extras.copy(), histories: histories.copy(), hops: hops.copy(), mentions: mentions.copy(),
            cancellations: cancellations.copy(),
            ids: ids.copy(), counts: counts, waits: waits, unnamed: unnamed)
    }
}
