import TaskEvents

/// The jobs of tasks: which executor a task requested, when its jobs were queued and began, and how long they waited.
///
/// Records come in any order of the lanes. A record that is late changes only the times.
extension ExecutorTable {
    // MARK: The requested executor

    /// Takes the record's executor as the task's requested executor if none is known.
    @inline(__always)
    private mutating func takeExecutor(
        _ event: EventReference, _ task: UnsafeMutablePointer<TaskRecord>, _ tasks: inout TaskTable
    ) {
        if task.pointee.executor == 0 { name(event.executor.rawValue, of: task, &tasks) }
    }

    /// Sets the executor that the task requested; 0 stands for none.
    @inline(__always)
    mutating func name(_ id: UInt16, of task: UnsafeMutablePointer<TaskRecord>, _ tasks: inout TaskTable) {
        guard id != 0, id != task.pointee.executor else { return }
        // A hop without a record is derived from the task's executor, so its record is restored first.
        tasks.restoreHop(of: task)
        task.pointee.executor = id
        _ = use(id)
    }

    // MARK: Queues

    /// Records that a task's job has been put into a queue.
    @inline(__always)
    mutating func enqueued(_ event: EventReference, _ row: Int32, _ tasks: inout TaskTable) {
        let task = tasks.records.writing(row)
        takeExecutor(event, task, &tasks)
        let isFirst = task.pointee.queuedAfter == TaskRecord.never
        if event.detail != 0, task.pointee.priority == nil { task.pointee.priority = JobPriority(counted: event.detail) }
        if task.pointee.flags.contains(.owesEnqueued) {
            enqueuedLate(event, task, isFirst: isFirst, &tasks)
            return
        }
        // The task is queued already, so this record repeats the same job.
        guard task.pointee.state != .queued else { return }
        if task.pointee.state.hasEnded {
            if isFirst { tasks.set(.queued, of: task, to: event.time) }
            tasks.mutableHistory(of: task)?.pointee.insert(.queued, at: event.time)
            return
        }
        if isFirst, task.pointee.startedAfter == TaskRecord.never, !tasks.hasHistory(task) {
            tasks.set(.queued, of: task, to: event.time)
        } else {
            let isLatest = tasks.step(task, .queued, at: event.time)
            if isFirst { tasks.set(.queued, of: task, to: event.time) }
            guard isLatest else {
                // Later records of this job have been applied already.
                task.pointee.flags.insert(.owesStarted)
                return
            }
        }
        enqueue(row, task, on: event.executor.rawValue, since: event.time, &tasks)
    }

    /// The job has left the queue already, so only its times are new.
    private mutating func enqueuedLate(
        _ event: EventReference, _ task: UnsafeMutablePointer<TaskRecord>, isFirst: Bool, _ tasks: inout TaskTable
    ) {
        task.pointee.flags.remove(.owesEnqueued)
        let history = tasks.mutableHistory(of: task)
        let inHistory = history.flatMap { $0.pointee.firstTime(of: .running, from: event.time) ?? $0.pointee.lastTime(of: .running) }
        let started = inHistory ?? tasks.time(.started, of: task) ?? event.time
        let since = min(event.time, started)
        if isFirst { tasks.set(.queued, of: task, to: since) }
        history?.pointee.insert(.queued, at: since, beforeEqual: true)
        recordWait(task, executor: event.executor.rawValue, since: since, until: started, &tasks)
        tasks.shortenHop(of: task)
    }

    /// Records a job's finished wait, for the executor's percentiles and for the hop that enqueued the job.
    private mutating func recordWait(
        _ task: UnsafeMutablePointer<TaskRecord>, executor id: UInt16, since: UInt64, until: UInt64, _ tasks: inout TaskTable
    ) {
        let wait = until > since ? until - since : 0
        use(id).pointee.record(wait: wait, of: task.pointee.id, at: until)
        tasks.hops.record(wait: wait, ofJobQueuedAt: since, of: task)
    }

    /// Records that the body of a task has begun, either a job from a queue or inline.
    @inline(__always)
    mutating func started(
        _ event: EventReference, _ manner: StartManner, lane: UInt16, _ task: UnsafeMutablePointer<TaskRecord>, _ tasks: inout TaskTable
    ) {
        let isDequeued = manner.isDequeued
        takeExecutor(event, task, &tasks)
        let isFirst = task.pointee.startedAfter == TaskRecord.never
        if manner != .dequeued { task.pointee.flags.insert(.endsOwnRun) }
        if isFirst && !isDequeued { task.pointee.flags.insert(.startedInline) }
        if isFirst { task.pointee.lane = lane }

        var time = event.time
        if task.pointee.state == .queued, !tasks.isOfEarlierJob(event.time, task) {
            let since = dequeue(task, at: event.time, &tasks)
            // The clocks of two threads may differ a little: the job cannot have started before it was enqueued.
            time = max(time, since)
            if isDequeued { recordWait(task, executor: event.executor.rawValue, since: since, until: time, &tasks) }
        } else if isDequeued {
            startedLate(event, task, isFirst: isFirst, &tasks)
        }
        if isFirst, !tasks.hasHistory(task) {
            tasks.set(.started, of: task, to: time)
            tasks.shortenHop(of: task)
            if !task.pointee.state.hasEnded { tasks.change(task, to: .running) }
        } else {
            let isLatest = enter(.running, task, at: time, &tasks)
            if isFirst { tasks.set(.started, of: task, to: time) } else if isLatest { task.pointee.lane = lane }
        }
    }

    /// The task is in no queue, or is queued for a later job. Either the `enqueued` record has yet to come, or it has been seen and this
    /// record is late.
    private mutating func startedLate(
        _ event: EventReference, _ task: UnsafeMutablePointer<TaskRecord>, isFirst: Bool, _ tasks: inout TaskTable
    ) {
        let queued = tasks.time(.queued, of: task)
        if tasks.isOfEarlierJob(event.time, task) {
            task.pointee.flags.remove(.owesStarted)
        } else if !(task.pointee.state.hasEnded && isFirst && queued != nil) {
            task.pointee.flags.insert(.owesEnqueued)
            return
        }
        guard isFirst, let queued else { return }
        recordWait(task, executor: event.executor.rawValue, since: queued, until: event.time, &tasks)
    }

    // MARK: The state

    /// Adds a step to the task's history, and sets the task's state to that of its latest step. Returns whether the step is the latest.
    @discardableResult
    mutating func enter(
        _ state: TaskState, _ task: UnsafeMutablePointer<TaskRecord>, at time: UInt64, _ tasks: inout TaskTable
    ) -> Bool {
        let isLatest = tasks.step(task, state, at: time)
        if isLatest {
            reach(state, task, at: time, &tasks)
        } else if let history = tasks.openHistory(of: task) {
            reach(history.pointee.state, task, at: history.pointee.lastTime, &tasks)
        }
        return isLatest
    }

    /// An ended task does not change, and only a queue makes a task queued.
    @inline(__always)
    private mutating func reach(
        _ state: TaskState, _ task: UnsafeMutablePointer<TaskRecord>, at time: UInt64, _ tasks: inout TaskTable
    ) {
        guard state != task.pointee.state, state != .queued, !task.pointee.state.hasEnded else { return }
        if task.pointee.state == .queued {
            // The task can reach this state only by leaving the queue.
            dequeue(task, at: time, &tasks)
            task.pointee.flags.insert(.owesStarted)
        }
        tasks.change(task, to: state)
    }
}
