import TaskEvents

/// The state of a trace after its events so far, in tables of tasks, chains, executors and threads.
///
/// Each table knows the transitions of its own records. The fold hands an event to the tables that it concerns. It is one struct, so the
/// checks for exclusive access cost once per batch and not once per field.
struct Fold: ~Copyable {
    var tasks: TaskTable
    var chains: ChainTable
    var executors: ExecutorTable
    var lanes: LaneTable
    /// Counts the bytes of the tables' pages, including pages that only copies of the tables have.
    let memory: PageMemory
    let retention: Retention
    /// The latest time of an event, and the latest time that the store was advanced to.
    var eventTime: UInt64
    var now: UInt64
    var losses: Losses
    /// The time of the latest event of each lane.
    var laneTimes: LaneTimes
    /// The number of records of unknown kinds, or about impossible tasks.
    var unreadable: Int
    /// The number of choices of `hopscope explore`.
    var choices: Int

    // MARK: Rows

    /// The row of a task. Creates a synthesised one for an unseen task. Nil for no task and for an evicted one.
    @inline(__always)
    mutating func row(for id: UInt64, at time: UInt64) -> Int32? {
        switch tasks.ids.lookup(id) {
        case .row(let row): row
        case .evicted: nil
        case .unseen: synthesise(id, at: time)
        }
    }

    @inline(never)
    private mutating func synthesise(_ id: UInt64, at time: UInt64) -> Int32? {
        guard id != 0, isReadable(id) else { return nil }
        return makeRow(for: id, at: time, flags: .isSynthesised, chain: nil).row
    }

    /// Creates a row for a task, in `chain` or as the first task of a new chain.
    @inline(__always)
    mutating func makeRow(
        for id: UInt64, at time: UInt64, flags: TaskRecord.Flags, chain: Int32?
    ) -> (row: Int32, task: UnsafeMutablePointer<TaskRecord>) {
        let (row, task) = tasks.add(id, at: time, flags: flags, chain: chain ?? -1)
        if let chain { chains.hold(chain) } else { task.pointee.chain = chains.add(first: row) }
        return (row, task)
    }

    /// Whether `id` can be a task's id. Counts ids that cannot.
    @inline(__always)
    mutating func isReadable(_ id: UInt64) -> Bool {
        if id < IDMap.limit { return true }
        unreadable += 1
        return false
    }

    var tableBytes: Int { tasks.bytes + chains.bytes + executors.queued.bytes }

    /// The id of the chain with this index: see ``ChainTable``.
    func id(ofChain chain: Int32) -> UInt64 { chains.id(of: chain, tasks) }

    /// The executor that a task's row shows.
    @inline(__always)
    func executorShown(of task: UnsafePointer<TaskRecord>) -> UInt16 {
        guard task.pointee.kind.isOfSwift else { return task.pointee.executor }
        return switch task.pointee.state {
        case .queued: executors.node(of: task).pointee.executor
        case .running: lanes.executor(of: task.pointee.id, inLane: task.pointee.lane) ?? task.pointee.executor
        case .pending, .suspended, .succeeded, .faulted, .cancelled: task.pointee.executor
        }
    }
}

extension Fold {
    init(retention: Retention) {
        let memory = PageMemory()
        self.init(
            tasks: TaskTable(memory: memory), chains: ChainTable(memory: memory, limit: retention.endedTasks),
            executors: ExecutorTable(memory: memory), lanes: LaneTable(), memory: memory, retention: retention, eventTime: 0, now: 0,
            losses: Losses(), laneTimes: LaneTimes(), unreadable: 0, choices: 0)
    }

    /// Copies the state as of the last event. Copies share pages until one of them writes to a page. The copy has no names: the table of
    /// names only grows, so the copy's owner has them already. The copy may have another limit of the past from here on.
    init(copying other: borrowing Fold, retention: Retention? = nil) {
        let retention = retention ?? other.retention
        self.init(
            tasks: other.tasks.copy(), chains: other.chains.copy(limit: retention.endedTasks),
            executors: other.executors.copy(), lanes: other.lanes.copy(), memory: other.memory, retention: retention,
            eventTime: other.eventTime, now: other.eventTime, losses: other.losses,
            laneTimes: other.laneTimes.copy(), unreadable: other.unreadable, choices: other.choices)
    }
}
