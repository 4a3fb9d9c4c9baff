import TaskEvents

/// Queues, jobs and threads.
extension Fold {
    @inline(__always)
    mutating func executor(_ id: UInt16) -> UnsafeMutablePointer<ExecutorState> {
        executors.find(id) ?? makeExecutor(id)
    }

    @inline(never)
    private mutating func makeExecutor(_ id: UInt16) -> UnsafeMutablePointer<ExecutorState> {
        let state = executors.make(id, ExecutorState(id: id))
        state.pointee.kind = entries.executor(ExecutorID(rawValue: id))?.kind
        return state
    }

    /// Sets the kinds of executors that were used before the trace's table had their entries.
    func nameExecutors() {
        for id in executors.used where executors.find(id)?.pointee.kind == nil {
            executors.find(id)?.pointee.kind = entries.executor(ExecutorID(rawValue: id))?.kind
        }
    }

    /// Takes the record's executor as the task's requested executor if none is known.
    @inline(__always)
    mutating func takeExecutor(_ event: EventPlace, _ task: UnsafeMutablePointer<TaskRecord>) {
        if task.pointee.executor == 0 { nameExecutor(event.executor.rawValue, of: task) }
    }

    /// Sets the executor that the task requested; 0 stands for none.
    @inline(__always)
    mutating func nameExecutor(_ id: UInt16, of task: UnsafeMutablePointer<TaskRecord>) {
        guard id != 0, id != task.pointee.executor else { return }
        // A hop without a record is derived from the task's executor, so its record is restored first.
        unfoldHop(of: task)
        task.pointee.executor = id
        _ = executor(id)
    }

    /// The executor that a task's row shows: the requested one, or for a queued Swift task the executor of its queue.
    @inline(__always)
    func executorShown(of task: UnsafePointer<TaskRecord>) -> UInt16 {
        guard task.pointee.state == .queued, task.pointee.kind.isOfSwift else { return task.pointee.executor }
        return queued.reading(Int32(bitPattern: task.pointee.errorOrNode)).pointee.executor
    }

    // MARK: Queues

    /// Puts a task into a queue, ordered by `since`. A late record is inserted before later ones.
    mutating func putInQueue(_ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>, executor id: UInt16, since: UInt64) {
        let executor = executor(id)
        let (index, node) = queued.add(QueuedNode(row: row, executor: id, since: since))
        task.pointee.errorOrNode = UInt32(bitPattern: index)
        change(task, to: .queued)
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
        executor.pointee.noteDepth(1, at: since)
        noteStep(of: executor, at: since)
    }

    /// Removes a task from its queue and makes it pending. Returns the time at which it was enqueued.
    mutating func takeFromQueue(_ task: UnsafeMutablePointer<TaskRecord>, at time: UInt64) -> UInt64 {
        let index = Int32(bitPattern: task.pointee.errorOrNode)
        task.pointee.errorOrNode = 0
        change(task, to: .pending)
        let node = queued.reading(index).pointee
        letGo(task, of: node.executor)
        queued.remove(index)
        let executor = executor(node.executor)
        if node.previous >= 0 { queued.writing(node.previous).pointee.next = node.next } else { executor.pointee.head = node.next }
        if node.next >= 0 { queued.writing(node.next).pointee.previous = node.previous } else { executor.pointee.tail = node.previous }
        executor.pointee.noteDepth(-1, at: time)
        noteStep(of: executor, at: time)
        return node.since
    }

    @inline(__always)
    private mutating func noteStep(of executor: UnsafeMutablePointer<ExecutorState>, at time: UInt64) {
        let id = ExecutorID(rawValue: executor.pointee.id)
        depthSteps.append(DepthStep(at: time, executor: id, depth: UInt32(truncatingIfNeeded: executor.pointee.depth)))
    }

    /// Records a job's finished wait, for the executor's percentiles and for the hop that enqueued the job.
    mutating func noteWait(_ task: UnsafeMutablePointer<TaskRecord>, executor id: UInt16, since: UInt64, until: UInt64) {
        let wait = until > since ? until - since : 0
        executor(id).pointee.record(wait: wait, of: task.pointee.id, at: until)
        guard let hop = lastHop(of: task, by: since), hops.reading(hop).pointee.wait == nil else { return }
        hops.writing(hop).pointee.wait = wait
    }

    // MARK: Gates

    /// A gate holds the task's job in its queue.
    mutating func held(_ event: EventPlace) {
        guard case .row(let row) = ids.place(of: event.task.rawValue) else { return }
        let task = tasks.writing(row)
        guard task.pointee.state == .queued, !task.pointee.marks.contains(.isHeld) else { return }
        task.pointee.marks.insert(.isHeld)
        heldCount += 1
        executor(executorOfQueue(task)).pointee.held += 1
    }

    /// A gate has let the job through.
    mutating func stepped(_ event: EventPlace) {
        guard case .row(let row) = ids.place(of: event.task.rawValue) else { return }
        let task = tasks.writing(row)
        guard task.pointee.state == .queued else { return }
        letGo(task, of: executorOfQueue(task))
    }

    private func executorOfQueue(_ task: UnsafeMutablePointer<TaskRecord>) -> UInt16 {
        queued.reading(Int32(bitPattern: task.pointee.errorOrNode)).pointee.executor
    }

    @inline(__always)
    private mutating func letGo(_ task: UnsafeMutablePointer<TaskRecord>, of id: UInt16) {
        guard task.pointee.marks.contains(.isHeld) else { return }
        task.pointee.marks.remove(.isHeld)
        heldCount -= 1
        executor(id).pointee.held -= 1
    }

    // MARK: Jobs

    @inline(__always)
    mutating func lane(_ number: UInt16) -> UnsafeMutablePointer<LaneState> {
        lanes.find(number) ?? lanes.make(number, LaneState())
    }

    /// Records that a body begins on a thread.
    mutating func begin(_ event: EventPlace, lane: UInt16, _ manner: StartManner) {
        guard event.executor.rawValue != 0 else { return }
        let executor = executor(event.executor.rawValue)
        executor.pointee.jobs &+= 1
        guard manner.isDequeued || executor.pointee.countsInline || occupiesMain(executor, lane: lane) else { return }
        beginFrame(event, lane: lane, isJob: manner == .dequeued)
    }

    /// Whether an inline body is the first on the main thread, and so the main executor's job: the beginning of an `async` main, for
    /// example. A thread has a lane for each source of its records.
    private func occupiesMain(_ executor: UnsafeMutablePointer<ExecutorState>, lane: UInt16) -> Bool {
        guard executor.pointee.kind == .main else { return false }
        let thread = lanes.find(lane)?.pointee.thread ?? 0
        return !lanes.used.contains { number in
            guard let other = lanes.find(number)?.pointee else { return false }
            return (number == lane || thread != 0 && other.thread == thread) && other.isBusy
        }
    }

    @inline(__always)
    mutating func beginFrame(_ event: EventPlace, lane: UInt16, isJob: Bool) {
        let label = event.task == .none ? event.label.rawValue : 0
        let frame = LaneState.Frame(
            task: event.task.rawValue, at: event.time, on: event.executor.rawValue, isJob: isJob, label: label)
        self.lane(lane).pointee.begin(frame)
    }

    mutating func jobEnded(_ event: EventPlace, lane: UInt16) {
        let (id, task) = (event.executor.rawValue, event.task.rawValue)
        if let frame = lanes.find(lane)?.pointee.takeJob(of: task, on: id) {
            finish(frame, lane: lane, at: event.time)
        }
    }

    /// Takes the jobs that were enqueued by `time` from all queues, because the records that began them may be lost. A later record of such a
    /// job shows it again. Without this, a reader that attaches late would show jobs as queued for ever.
    mutating func forgetQueues(until time: UInt64) {
        for number in executors.used {
            var next = executors.find(number)?.pointee.head ?? -1
            while next >= 0 {
                let node = queued.reading(next).pointee
                guard node.since <= time else { break }
                next = node.next
                let task = tasks.writing(node.row)
                // The gate still has a held job.
                if !task.pointee.marks.contains(.isHeld) { _ = takeFromQueue(task, at: time) }
            }
        }
    }

    /// Records that an inline body or a slice has returned: on the thread of this record, or else on the thread it last ran on.
    @inline(__always)
    mutating func endInline(_ task: UnsafeMutablePointer<TaskRecord>, _ event: EventPlace, lane: UInt16) {
        guard task.pointee.marks.contains(.endsOwnRun) else { return }
        endRun(of: task, event, lane: lane)
    }

    private mutating func endRun(of task: UnsafeMutablePointer<TaskRecord>, _ event: EventPlace, lane: UInt16) {
        var lane = lane
        var frame = lanes.find(lane)?.pointee.takeInline(task.pointee.id)
        if frame == nil, lane != task.pointee.lane {
            lane = task.pointee.lane
            frame = lanes.find(lane)?.pointee.takeInline(task.pointee.id)
        }
        if let frame { finish(frame, lane: lane, at: event.time, on: event.executor.rawValue) }
    }

    /// The bodies that run on an executor, in the order of their start times.
    func running(on id: UInt16) -> [RunningJob] {
        var running: [RunningJob] = []
        for number in lanes.used {
            for frame in lanes.find(number)?.pointee.frames ?? [] where frame.executor == id {
                let label = EntryID(rawValue: frame.label)
                running.append(RunningJob(task: TaskID(rawValue: frame.task), since: frame.since, lane: Int(number), label: label))
            }
        }
        return running.sorted { ($0.since, $0.lane) < ($1.since, $1.lane) }
    }

    /// The bodies that run on all executors, by thread.
    var running: [(executor: ExecutorID, job: RunningJob)] {
        lanes.used.flatMap { number in
            (lanes.find(number)?.pointee.frames ?? []).map { frame in
                let label = EntryID(rawValue: frame.label)
                let job = RunningJob(task: TaskID(rawValue: frame.task), since: frame.since, lane: Int(number), label: label)
                return (ExecutorID(rawValue: frame.executor), job)
            }
        }
    }

    func isRunning(_ task: UInt64, inLane lane: UInt16) -> Bool {
        lanes.find(lane)?.pointee.frames.contains { $0.task == task } ?? false
    }

    // MARK: Threads

    mutating func laneTaken(_ lane: UInt16, by thread: UInt64) {
        interrupt(lane: lane)
        self.lane(lane).pointee.thread = thread
    }

    /// Bodies on that thread may have ended in lost records. They are no longer shown as running, and no time is counted for them.
    mutating func interrupt(lane: UInt16) {
        lanes.find(lane)?.pointee.endAll()
    }
}
