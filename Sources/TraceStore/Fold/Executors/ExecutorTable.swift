import TaskEvents

/// The executors and their queues.
struct ExecutorTable: ~Copyable {
    private var states: NumberedStates<ExecutorState>
    private(set) var queued: Pool<QueuedNode>
    private(set) var depthSteps: DepthSteps
    /// The number of tasks whose jobs a gate holds.
    private(set) var heldCount: Int
    /// The trace's names; here, because they tell the kinds of executors.
    var entries: EntryTable

    init(memory: PageMemory) {
        self.init(states: NumberedStates(), queued: Pool(memory: memory), heldCount: 0)
    }

    private init(states: consuming NumberedStates<ExecutorState>, queued: consuming Pool<QueuedNode>, heldCount: Int) {
        self.states = states
        self.queued = queued
        self.heldCount = heldCount
        depthSteps = DepthSteps()
        entries = EntryTable()
    }

    /// Copies all but the names, which the copy's owner has already, and the depths over time, which are drawn for the latest state only.
    func copy() -> ExecutorTable { ExecutorTable(states: states.copy(), queued: queued.copy(), heldCount: heldCount) }

    // MARK: Executors

    /// The numbers of the used executors, in the order of their first use.
    var used: [UInt16] { states.used }

    @inline(__always)
    func find(_ id: UInt16) -> UnsafeMutablePointer<ExecutorState>? { states.find(id) }

    /// The state of an executor, which is in use from now on.
    @inline(__always)
    mutating func use(_ id: UInt16) -> UnsafeMutablePointer<ExecutorState> {
        states.find(id) ?? make(id)
    }

    @inline(never)
    private mutating func make(_ id: UInt16) -> UnsafeMutablePointer<ExecutorState> {
        let state = states.make(id, ExecutorState(id: id))
        state.pointee.kind = entries.executor(ExecutorID(rawValue: id))?.kind
        return state
    }

    /// Sets the kinds of executors that were used before the trace's table had their entries.
    func nameExecutors() {
        for id in used where find(id)?.pointee.kind == nil {
            find(id)?.pointee.kind = entries.executor(ExecutorID(rawValue: id))?.kind
        }
    }

    func isMain(_ id: UInt16) -> Bool { find(id)?.pointee.kind == .main }

    // MARK: Queues

    /// A queued task's position.
    @inline(__always)
    func node(of task: UnsafePointer<TaskRecord>) -> UnsafePointer<QueuedNode> {
        queued.reading(Int32(bitPattern: task.pointee.errorOrNode))
    }

    /// Puts a task into a queue, ordered by `since`. A late record is inserted before later ones.
    mutating func enqueue(
        _ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>, on id: UInt16, since: UInt64, _ tasks: inout TaskTable
    ) {
        let executor = use(id)
        let (index, node) = queued.add(QueuedNode(row: row, executor: id, since: since))
        task.pointee.errorOrNode = UInt32(bitPattern: index)
        tasks.change(task, to: .queued)
        var previous = executor.pointee.tail
        var next: Int32 = -1
        while previous >= 0 {
            let before = queued.writing(previous)
            if before.pointee.since <= since {
                before.pointee.next = index
                break
            }
            next = previous
            previous = before.pointee.previous
        }
        node.pointee.previous = previous
        node.pointee.next = next
        if previous < 0 { executor.pointee.head = index }
        if next >= 0 { queued.writing(next).pointee.previous = index } else { executor.pointee.tail = index }
        changeDepth(of: executor, by: 1, at: since)
    }

    /// Removes a task from its queue and makes it pending. Returns the time at which it was enqueued.
    @discardableResult
    mutating func dequeue(_ task: UnsafeMutablePointer<TaskRecord>, at time: UInt64, _ tasks: inout TaskTable) -> UInt64 {
        let index = Int32(bitPattern: task.pointee.errorOrNode)
        let node = queued.reading(index).pointee
        if task.pointee.flags.contains(.isHeld) { letThrough(task) }
        task.pointee.errorOrNode = 0
        tasks.change(task, to: .pending)
        queued.remove(index)
        let executor = use(node.executor)
        if node.previous >= 0 { queued.writing(node.previous).pointee.next = node.next } else { executor.pointee.head = node.next }
        if node.next >= 0 { queued.writing(node.next).pointee.previous = node.previous } else { executor.pointee.tail = node.previous }
        changeDepth(of: executor, by: -1, at: time)
        return node.since
    }

    @inline(__always)
    private mutating func changeDepth(of executor: UnsafeMutablePointer<ExecutorState>, by change: Int, at time: UInt64) {
        executor.pointee.changeDepth(by: change, at: time)
        let id = ExecutorID(rawValue: executor.pointee.id)
        depthSteps.append(DepthStep(at: time, executor: id, depth: UInt32(truncatingIfNeeded: executor.pointee.depth)))
    }

    /// Takes the jobs that were enqueued by `time` from all queues, because the records that began them may be lost. A later record of such a
    /// job shows it again. Without this, a reader that attaches late would show jobs as queued for ever.
    mutating func forgetQueues(until time: UInt64, _ tasks: inout TaskTable) {
        for number in used {
            var next = find(number)?.pointee.head ?? -1
            while next >= 0 {
                let node = queued.reading(next).pointee
                guard node.since <= time else { break }
                next = node.next
                let task = tasks.records.writing(node.row)
                // The gate still has a held job.
                if !task.pointee.flags.contains(.isHeld) { dequeue(task, at: time, &tasks) }
            }
        }
    }

    // MARK: Gates

    /// A gate holds a queued task's job.
    mutating func hold(_ task: UnsafeMutablePointer<TaskRecord>) {
        guard task.pointee.state == .queued, task.pointee.flags.insert(.isHeld).inserted else { return }
        heldCount += 1
        use(node(of: task).pointee.executor).pointee.held += 1
    }

    /// A gate has let a queued task's job through.
    mutating func letThrough(_ task: UnsafeMutablePointer<TaskRecord>) {
        guard task.pointee.state == .queued, task.pointee.flags.remove(.isHeld) != nil else { return }
        heldCount -= 1
        use(node(of: task).pointee.executor).pointee.held -= 1
    }
}

/// A task's position in an executor's queue.
struct QueuedNode: BitwiseCopyable {
    var row: Int32
    var previous: Int32 = -1
    var next: Int32 = -1
    var executor: UInt16
    var since: UInt64
}
