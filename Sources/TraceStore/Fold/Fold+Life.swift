import TaskEvents

/// A task's life: created, queued, running, suspended, ended.
///
/// Each function accepts its records in any order of the lanes. A task's state follows from the records' times, from the records that its
/// queue still expects, and from its end, which is final.
extension Fold {
    mutating func created(_ event: EventPlace) {
        let kind = TaskKind(rawValue: event.detail) ?? .root
        switch ids.place(of: event.task.rawValue) {
        case .unseen: createdFirst(event, kind)
        case .row(let row): createdLate(event, kind, row)
        case .evicted: break
        }
    }

    /// The usual case: no earlier record named the task. It is part of its antecedent's chain from the beginning.
    private mutating func createdFirst(_ event: EventPlace, _ kind: TaskKind) {
        let (id, other) = (event.task.rawValue, event.other)
        guard id != 0, isReadable(id) else { return }
        var from: Int32?
        if kind.continuesAChain, other != id, other < IDMap.limit { from = row(for: other, at: event.time) }
        let chain = from.map { tasks.reading($0).pointee.chain }
        let (row, task) = makeRow(for: id, at: event.time, marks: .knowsCreated, chain: chain)
        task.pointee.kind = kind
        task.pointee.label = event.label.rawValue
        nameExecutor(event.executor.rawValue, of: task)
        if let from {
            linkInChain(row, task, from: from)
        } else if other != 0 {
            linkFirst(row, from: other, at: event.time)
        }
    }

    private mutating func createdLate(_ event: EventPlace, _ kind: TaskKind, _ row: Int32) {
        let task = tasks.writing(row)
        // A second `created` changes nothing.
        guard !task.pointee.marks.contains(.knowsCreated) else { return }
        fillIn(task, createdAt: event.time)
        task.pointee.kind = kind
        task.pointee.label = event.label.rawValue
        nameExecutor(event.executor.rawValue, of: task)
        if event.other != 0 { linkFirst(row, from: event.other, at: event.time) }
    }

    /// Clears the synthesised mark of a task whose creation came late. After a loss the mark stays, because other records may be missing
    /// too.
    private mutating func fillIn(_ task: UnsafeMutablePointer<TaskRecord>, createdAt time: UInt64) {
        rebase(task, to: time)
        task.pointee.marks.insert(.knowsCreated)
        guard lost == 0 else { return }
        task.pointee.marks.remove(.isSynthesised)
        synthesised -= 1
    }

    mutating func enqueued(_ event: EventPlace) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        takeExecutor(event, task)
        let isFirst = task.pointee.queuedAfter == TaskRecord.never
        if event.detail != 0, task.pointee.priority == nil { task.pointee.priority = JobPriority(counted: event.detail) }
        if task.pointee.marks.contains(.owesEnqueued) {
            enqueuedLate(event, task, isFirst: isFirst)
            return
        }
        // The task is queued already, so this record repeats the same job.
        guard task.pointee.state != .queued else { return }
        if task.pointee.state.hasEnded {
            if isFirst { set(.queued, of: task, to: event.time) }
            mutableCourse(of: task)?.pointee.insert(.queued, at: event.time)
            return
        }
        if isFirst, task.pointee.startedAfter == TaskRecord.never, !hasCourse(task) {
            set(.queued, of: task, to: event.time)
        } else {
            let isLatest = step(task, .queued, at: event.time)
            if isFirst { set(.queued, of: task, to: event.time) }
            guard isLatest else {
                // Later records of this job have been applied already.
                task.pointee.marks.insert(.owesStarted)
                return
            }
        }
        putInQueue(row, task, executor: event.executor.rawValue, since: event.time)
    }

    /// The job has left the queue already, so only its times are new.
    private mutating func enqueuedLate(_ event: EventPlace, _ task: UnsafeMutablePointer<TaskRecord>, isFirst: Bool) {
        task.pointee.marks.remove(.owesEnqueued)
        let course = mutableCourse(of: task)
        let inCourse = course.flatMap { $0.pointee.firstTime(of: .running, from: event.time) ?? $0.pointee.lastTime(of: .running) }
        let started = inCourse ?? time(.started, of: task) ?? event.time
        let since = min(event.time, started)
        if isFirst { set(.queued, of: task, to: since) }
        course?.pointee.insert(.queued, at: since, beforeEqual: true)
        noteWait(task, executor: event.executor.rawValue, since: since, until: started)
        foldHop(of: task)
    }

    mutating func started(_ event: EventPlace, lane: UInt16) {
        let manner = StartManner(rawValue: event.detail) ?? .inline
        let isDequeued = manner.isDequeued
        begin(event, lane: lane, manner)
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        takeExecutor(event, task)
        let isFirst = task.pointee.startedAfter == TaskRecord.never
        if manner != .dequeued { task.pointee.marks.insert(.endsOwnRun) }
        if isFirst && !isDequeued { task.pointee.marks.insert(.startedInline) }
        if isFirst { task.pointee.lane = lane }

        var time = event.time
        if task.pointee.state == .queued, !isOfEarlierJob(event.time, task) {
            let since = takeFromQueue(task, at: event.time)
            // The clocks of two threads may differ a little: the job cannot have started before it was enqueued.
            time = max(time, since)
            if isDequeued { noteWait(task, executor: event.executor.rawValue, since: since, until: time) }
        } else if isDequeued {
            startedLate(event, task, isFirst: isFirst)
        }
        if isFirst, !hasCourse(task) {
            set(.started, of: task, to: time)
            foldHop(of: task)
            if !task.pointee.state.hasEnded { change(task, to: .running) }
        } else {
            let isLatest = enter(.running, task, at: time)
            if isFirst { set(.started, of: task, to: time) } else if isLatest { task.pointee.lane = lane }
        }
    }

    /// The task is in no queue, or is queued for a later job. Either the `enqueued` record has yet to come, or it has been seen and this
    /// record is late.
    private mutating func startedLate(_ event: EventPlace, _ task: UnsafeMutablePointer<TaskRecord>, isFirst: Bool) {
        let queued = time(.queued, of: task)
        if isOfEarlierJob(event.time, task) {
            task.pointee.marks.remove(.owesStarted)
        } else if !(task.pointee.state.hasEnded && isFirst && queued != nil) {
            task.pointee.marks.insert(.owesEnqueued)
            return
        }
        guard isFirst, let queued else { return }
        noteWait(task, executor: event.executor.rawValue, since: queued, until: event.time)
    }

    mutating func suspended(_ event: EventPlace, lane: UInt16) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        endInline(task, event, lane: lane)
        enter(.suspended, task, at: event.time)
        if task.pointee.state == .suspended {
            let extra = extra(of: task)
            // The task may have named the awaited task before it suspended on the continuation.
            let awaited = event.detail == SuspensionReason.continuation.rawValue ? awaitedNow(by: task) : nil
            extra.pointee.other = awaited ?? event.other
            extra.pointee.suspension = event.detail
            extra.pointee.awaited = event.label.rawValue
        }
        // A task that awaits another task's value also receives its error.
        if event.detail == SuspensionReason.task.rawValue, event.other != 0, let other = self.row(for: event.other, at: event.time) {
            addReader(event.task.rawValue, of: tasks.writing(other))
            noteAwait(of: event.other, by: task, at: event.time)
        }
    }

    mutating func cancellationAsked(_ event: EventPlace) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        guard !task.pointee.marks.contains(.isAskedToStop) else { return }
        task.pointee.marks.insert(.isAskedToStop)
        if event.other != 0 { extra(of: task).pointee.asker = event.other }
    }

    mutating func measured(_ event: EventPlace) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        extra(of: tasks.writing(row)).pointee.memory = UInt32(clamping: event.other / TaskExtra.memoryUnit)
    }

    mutating func resumed(_ event: EventPlace, lane: UInt16) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        if event.executor.rawValue != 0 {
            // A slice of a Swift task begins, on the thread and the executor that the task has not left.
            task.pointee.marks.insert(.endsOwnRun)
            beginFrame(event, lane: lane, isJob: false)
        }
        if enter(.running, task, at: event.time), event.executor.rawValue != 0 { task.pointee.lane = lane }
    }

    mutating func skipped(_ event: EventPlace) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        tasks.writing(row).pointee.marks.insert(.isSkipped)
    }

    mutating func end(_ event: EventPlace, as state: TaskState, lane: UInt16) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        // The first end is final.
        guard !task.pointee.state.hasEnded else { return }
        if task.pointee.state == .queued { _ = takeFromQueue(task, at: event.time) }
        endInline(task, event, lane: lane)
        set(.ended, of: task, to: event.time)
        change(task, to: state)
        if task.pointee.extra >= 0 { extras.writing(task.pointee.extra).pointee.other = 0 }
        switch state {
        case .faulted, .cancelled:
            task.pointee.manner = event.detail
            if state == .faulted { task.pointee.errorOrNode = event.label.rawValue }
            if event.other != 0 { extra(of: task).pointee.other = event.other }
            // A group rethrows a child's error to the task that waits for the group. The trace does not say whether a task waits.
            if state == .faulted, task.pointee.kind == .groupChild, task.pointee.lastIn >= 0 {
                addReader(antecedent(of: links.writing(firstIn(of: task)).pointee), of: task)
            }
        case .succeeded, .pending, .queued, .running, .suspended: break
        }
        settle(task)
        leaveAlive(task)
    }

    mutating func released(_ event: EventPlace) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        if task.pointee.marks.insert(.isReleased).inserted { noteLeaf(task) }
        // No code can end the task any more, so it is kept no longer than an ended task.
        leaveAlive(task)
    }

    /// The reader to record: for a Swift task that runs a chain's body, the chain's task; otherwise the task itself.
    private func speaker(for id: UInt64) -> UInt64 {
        guard case .row(let row) = ids.place(of: id) else { return id }
        let task = tasks.reading(row)
        guard task.pointee.kind == .internal, task.pointee.lastIn >= 0 else { return id }
        return antecedent(of: links.reading(firstIn(of: task)).pointee)
    }

    mutating func errorRead(_ event: EventPlace) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.writing(row)
        guard event.other != 0 else {
            if task.pointee.marks.insert(.isReadOutside).inserted { noteLeaf(task) }
            return
        }
        addReader(event.other, of: task)
    }

    private mutating func addReader(_ reader: UInt64, of task: UnsafeMutablePointer<TaskRecord>) {
        let id = speaker(for: reader)
        // One body may read its antecedent's error any number of times.
        let isFirst = extra(of: task).pointee.lastReader < 0
        mention(id, &extra(of: task).pointee.lastReader)
        if isFirst { noteLeaf(task) }
    }
}
