import TaskEvents
import TraceTransport

/// A task's life: created, linked to its antecedents, queued, running, suspended, ended, evicted.
///
/// Each function accepts its records in any order of the lanes. A task's state follows from the records' times, from the records that its
/// queue still expects, and from its end, which is final.
extension Fold {
    // MARK: Creation and links

    mutating func created(_ event: EventReference) {
        let kind = TaskKind(rawValue: event.detail) ?? .root
        switch tasks.ids.lookup(event.task.rawValue) {
        case .unseen: createdFirst(event, kind)
        case .row(let row): createdLate(event, kind, row)
        case .evicted: break
        }
    }

    /// The usual case: no earlier record named the task. It is part of its antecedent's chain from the beginning.
    private mutating func createdFirst(_ event: EventReference, _ kind: TaskKind) {
        let (id, other) = (event.task.rawValue, event.other)
        guard id != 0, isReadable(id) else { return }
        var from: Int32?
        if kind.continuesAChain, other != id, other < IDMap.limit { from = row(for: other, at: event.time) }
        let chain = from.map { tasks.records.reading($0).pointee.chain }
        let (row, task) = makeRow(for: id, at: event.time, flags: .knowsCreated, chain: chain)
        tasks.set(kind, of: task)
        task.pointee.label = event.label.rawValue
        nameExecutor(event.executor.rawValue, of: task)
        if let from {
            links.addOnly(row, task, from: from, tasks.records.writing(from))
        } else if other != 0 {
            linkFirst(row, from: other, at: event.time)
        }
    }

    private mutating func createdLate(_ event: EventReference, _ kind: TaskKind, _ row: Int32) {
        let task = tasks.records.writing(row)
        // A second `created` changes nothing.
        guard !task.pointee.flags.contains(.knowsCreated) else { return }
        tasks.fillIn(task, createdAt: event.time, afterLoss: losses.events > 0)
        tasks.set(kind, of: task)
        task.pointee.label = event.label.rawValue
        nameExecutor(event.executor.rawValue, of: task)
        if event.other != 0 { linkFirst(row, from: event.other, at: event.time) }
    }

    /// Links a task to the antecedent that its `created` record names. The link precedes all others.
    private mutating func linkFirst(_ row: Int32, from: UInt64, at time: UInt64) {
        guard isReadable(from) else { return }
        let task = tasks.records.writing(row)
        // Joins the chain first, so that the link is recognised as one within the chain.
        if task.pointee.kind.continuesAChain, let antecedent = self.row(for: from, at: time) {
            chains.join(task, tasks.records.reading(antecedent), links, tasks)
        }
        let link = link(row, task, from: from, at: time).index
        if task.pointee.lastIn < 0 { task.pointee.lastIn = link }
    }

    mutating func addAntecedent(_ event: EventReference) {
        guard event.other != 0, isReadable(event.other) else { return }
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        guard event.detail != AntecedentRole.awaited.rawValue else {
            recordAwait(of: event.other, by: task, at: event.time)
            return
        }
        let (link, record) = link(row, task, from: event.other, at: event.time)
        record.pointee.isInner = event.detail == AntecedentRole.inner.rawValue
        task.pointee.lastIn = link
    }

    /// Links a task to an antecedent. A live task keeps its antecedents in other chains from eviction.
    private mutating func link(
        _ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>, from: UInt64, at time: UInt64
    ) -> (index: Int32, record: UnsafeMutablePointer<LinkRecord>) {
        guard let fromRow = self.row(for: from, at: time) else { return links.add(row, task, fromEvicted: from) }
        let antecedent = tasks.records.writing(fromRow)
        let (link, record) = links.add(row, task, from: fromRow, antecedent)
        if antecedent.pointee.chain != task.pointee.chain, !task.pointee.flags.contains(.isRetired) {
            record.pointee.isHolding = true
            task.pointee.flags.insert(.holdsAntecedents)
            chains.hold(antecedent.pointee.chain)
        }
        return (link, record)
    }

    // MARK: Executors and queues

    /// Takes the record's executor as the task's requested executor if none is known.
    @inline(__always)
    private mutating func takeExecutor(_ event: EventReference, _ task: UnsafeMutablePointer<TaskRecord>) {
        if task.pointee.executor == 0 { nameExecutor(event.executor.rawValue, of: task) }
    }

    /// Sets the executor that the task requested; 0 stands for none.
    @inline(__always)
    private mutating func nameExecutor(_ id: UInt16, of task: UnsafeMutablePointer<TaskRecord>) {
        guard id != 0, id != task.pointee.executor else { return }
        // A hop without a record is derived from the task's executor, so its record is restored first.
        tasks.restoreHop(of: task)
        task.pointee.executor = id
        _ = executors.use(id)
    }

    mutating func enqueued(_ event: EventReference) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        takeExecutor(event, task)
        let isFirst = task.pointee.queuedAfter == TaskRecord.never
        if event.detail != 0, task.pointee.priority == nil { task.pointee.priority = JobPriority(counted: event.detail) }
        if task.pointee.flags.contains(.owesEnqueued) {
            enqueuedLate(event, task, isFirst: isFirst)
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
        executors.enqueue(row, task, on: event.executor.rawValue, since: event.time, &tasks)
    }

    /// The job has left the queue already, so only its times are new.
    private mutating func enqueuedLate(_ event: EventReference, _ task: UnsafeMutablePointer<TaskRecord>, isFirst: Bool) {
        task.pointee.flags.remove(.owesEnqueued)
        let history = tasks.mutableHistory(of: task)
        let inHistory = history.flatMap { $0.pointee.firstTime(of: .running, from: event.time) ?? $0.pointee.lastTime(of: .running) }
        let started = inHistory ?? tasks.time(.started, of: task) ?? event.time
        let since = min(event.time, started)
        if isFirst { tasks.set(.queued, of: task, to: since) }
        history?.pointee.insert(.queued, at: since, beforeEqual: true)
        recordWait(task, executor: event.executor.rawValue, since: since, until: started)
        tasks.shortenHop(of: task)
    }

    /// Records a job's finished wait, for the executor's percentiles and for the hop that enqueued the job.
    private mutating func recordWait(_ task: UnsafeMutablePointer<TaskRecord>, executor id: UInt16, since: UInt64, until: UInt64) {
        let wait = until > since ? until - since : 0
        executors.use(id).pointee.record(wait: wait, of: task.pointee.id, at: until)
        tasks.hops.record(wait: wait, ofJobQueuedAt: since, of: task)
    }

    mutating func hopped(_ event: EventReference, lane: UInt16) {
        let manner = HopManner(rawValue: event.detail) ?? .dispatched
        let inline = InlineHops(event.other)
        if manner == .inline || manner == .left { lanes.move(event, inline, lane: lane, &executors) }
        // No other record reports that a task came to this executor, so the hop counts as the job.
        if manner == .inline || manner == .left { executors.use(event.executor.rawValue).pointee.jobs += Int(clamping: inline.count) }
        guard manner != .left else { return }
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let hop = HopRecord(
            at: event.time, from: inline.from.rawValue, to: event.executor.rawValue, manner: manner, count: inline.count)
        let task = tasks.records.writing(row)
        tasks.add(hop, to: task, limit: retention.hops)
        if event.label.rawValue != 0, task.pointee.extra >= 0 {
            tasks.extras.writing(task.pointee.extra).pointee.awaited = event.label.rawValue
        }
    }

    // MARK: Running

    mutating func started(_ event: EventReference, lane: UInt16) {
        let manner = StartManner(rawValue: event.detail) ?? .inline
        let isDequeued = manner.isDequeued
        if event.executor.rawValue != 0 {
            let executor = executors.use(event.executor.rawValue)
            executor.pointee.jobs &+= 1
            lanes.begin(event, lane: lane, manner, on: executor)
        }
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        takeExecutor(event, task)
        let isFirst = task.pointee.startedAfter == TaskRecord.never
        if manner != .dequeued { task.pointee.flags.insert(.endsOwnRun) }
        if isFirst && !isDequeued { task.pointee.flags.insert(.startedInline) }
        if isFirst { task.pointee.lane = lane }

        var time = event.time
        if task.pointee.state == .queued, !tasks.isOfEarlierJob(event.time, task) {
            let since = executors.dequeue(task, at: event.time, &tasks)
            // The clocks of two threads may differ a little: the job cannot have started before it was enqueued.
            time = max(time, since)
            if isDequeued { recordWait(task, executor: event.executor.rawValue, since: since, until: time) }
        } else if isDequeued {
            startedLate(event, task, isFirst: isFirst)
        }
        if isFirst, !tasks.hasHistory(task) {
            tasks.set(.started, of: task, to: time)
            tasks.shortenHop(of: task)
            if !task.pointee.state.hasEnded { tasks.change(task, to: .running) }
        } else {
            let isLatest = enter(.running, task, at: time)
            if isFirst { tasks.set(.started, of: task, to: time) } else if isLatest { task.pointee.lane = lane }
        }
    }

    /// The task is in no queue, or is queued for a later job. Either the `enqueued` record has yet to come, or it has been seen and this
    /// record is late.
    private mutating func startedLate(_ event: EventReference, _ task: UnsafeMutablePointer<TaskRecord>, isFirst: Bool) {
        let queued = tasks.time(.queued, of: task)
        if tasks.isOfEarlierJob(event.time, task) {
            task.pointee.flags.remove(.owesStarted)
        } else if !(task.pointee.state.hasEnded && isFirst && queued != nil) {
            task.pointee.flags.insert(.owesEnqueued)
            return
        }
        guard isFirst, let queued else { return }
        recordWait(task, executor: event.executor.rawValue, since: queued, until: event.time)
    }

    mutating func suspended(_ event: EventReference, lane: UInt16) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        endInline(task, event, lane: lane)
        enter(.suspended, task, at: event.time)
        if task.pointee.state == .suspended {
            let extra = tasks.extra(of: task)
            // The task may have named the awaited task before it suspended on the continuation.
            let awaited = event.detail == SuspensionReason.continuation.rawValue ? tasks.awaitedNow(by: task) : nil
            extra.pointee.other = awaited ?? event.other
            extra.pointee.suspension = event.detail
            extra.pointee.awaited = event.label.rawValue
            let place: UInt32 = 1 << (event.label.rawValue & 31)
            extra.pointee.isBack = extra.pointee.places & place != 0
            extra.pointee.places |= place
            if executors.entries.hasLibraries { callAfterHandler(task, event.label) }
        }
        // A task that awaits another task's value also receives its error.
        if event.detail == SuspensionReason.task.rawValue, event.other != 0, let other = self.row(for: event.other, at: event.time) {
            guard !isWaitOfScope(task, for: tasks.records.writing(other)) else { return }
            addReader(event.task.rawValue, of: tasks.records.writing(other))
            recordAwait(of: event.other, by: task, at: event.time)
        } else if event.detail != SuspensionReason.executor.rawValue, task.pointee.extra >= 0 {
            // A task suspends on a continuation also for a chain's value, which it has named before.
            let isAwait = event.detail == SuspensionReason.continuation.rawValue && tasks.awaitedNow(by: task) != nil
            if !isAwait { tasks.extras.writing(task.pointee.extra).pointee.hasPaused = true }
        }
    }

    mutating func resumed(_ event: EventReference, lane: UInt16) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        if event.executor.rawValue != 0 {
            // A slice of a Swift task begins, on the thread and the executor that the task has not left.
            task.pointee.flags.insert(.endsOwnRun)
            let executor = executors.use(event.executor.rawValue)
            executor.pointee.jobs &+= 1
            lanes.beginBody(event, lane: lane, isJob: false, on: executor)
        }
        noteWait(of: task, until: event.time)
        if enter(.running, task, at: event.time), event.executor.rawValue != 0 { task.pointee.lane = lane }
    }

    /// Adds a step to the task's history, and sets the task's state to that of its latest step. Returns whether the step is the latest.
    @discardableResult
    private mutating func enter(_ state: TaskState, _ task: UnsafeMutablePointer<TaskRecord>, at time: UInt64) -> Bool {
        let isLatest = tasks.step(task, state, at: time)
        if isLatest {
            reach(state, task, at: time)
        } else if let history = tasks.openHistory(of: task) {
            reach(history.pointee.state, task, at: history.pointee.lastTime)
        }
        return isLatest
    }

    /// An ended task does not change, and only a queue makes a task queued.
    @inline(__always)
    private mutating func reach(_ state: TaskState, _ task: UnsafeMutablePointer<TaskRecord>, at time: UInt64) {
        guard state != task.pointee.state, state != .queued, !task.pointee.state.hasEnded else { return }
        if task.pointee.state == .queued {
            // The task can reach this state only by leaving the queue.
            executors.dequeue(task, at: time, &tasks)
            task.pointee.flags.insert(.owesStarted)
        }
        tasks.change(task, to: state)
    }

    @inline(__always)
    private mutating func endInline(_ task: UnsafeMutablePointer<TaskRecord>, _ event: EventReference, lane: UInt16) {
        if task.pointee.flags.contains(.endsOwnRun) { lanes.endInline(task, event, lane: lane, &executors) }
    }

    // MARK: Facts about a task

    mutating func cancellationAsked(_ event: EventReference) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        guard task.pointee.flags.insert(.isAskedToStop).inserted else { return }
        if event.other != 0 { tasks.extra(of: task).pointee.asker = event.other }
        // A cancelled task's child is cancelled as it is made, so the later end of the child's scope asks for nothing.
        if !task.pointee.flags.contains(.knowsCreated) { tasks.extra(of: task).pointee.scope = .unclear }
    }

    mutating func measured(_ event: EventReference) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        tasks.extra(of: tasks.records.writing(row)).pointee.memory = UInt32(clamping: event.other / TaskExtra.memoryUnit)
    }

    mutating func skipped(_ event: EventReference) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        tasks.records.writing(row).pointee.flags.insert(.isSkipped)
    }

    /// Records that a task awaits another task's value, or has received it.
    mutating func recordAwait(of id: UInt64, by task: UnsafeMutablePointer<TaskRecord>, at time: UInt64) {
        guard id != task.pointee.id, let row = row(for: id, at: time) else { return }
        tasks.recordAwait(of: tasks.records.writing(row), by: task)
    }

    // MARK: The end

    mutating func end(_ event: EventReference, as state: TaskState, lane: UInt16) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        // The first end is final.
        guard !task.pointee.state.hasEnded else { return }
        if task.pointee.state == .queued { executors.dequeue(task, at: event.time, &tasks) }
        endInline(task, event, lane: lane)
        tasks.set(.ended, of: task, to: event.time)
        tasks.change(task, to: state)
        if task.pointee.extra >= 0 { tasks.extras.writing(task.pointee.extra).pointee.other = 0 }
        switch state {
        case .faulted, .cancelled:
            task.pointee.manner = event.detail
            if state == .faulted { task.pointee.errorOrNode = event.label.rawValue }
            if event.other != 0 { tasks.extra(of: task).pointee.other = event.other }
            if state == .faulted, task.pointee.kind.isOfSwift { attributeError(of: task) }
            // A group rethrows a child's error to the task that waits for the group. The trace does not say whether a task waits.
            if state == .faulted, task.pointee.kind == .groupChild, let parent = links.firstAntecedent(of: task, tasks) {
                addReader(parent, of: task)
            }
        case .succeeded, .pending, .queued, .running, .suspended: break
        }
        tasks.settle(task)
        retire(task)
    }

    mutating func released(_ event: EventReference) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        if task.pointee.flags.insert(.isReleased).inserted { chains.listLeaf(task, links, tasks) }
        // No code can end the task any more, so it is kept no longer than an ended task.
        retire(task)
    }

    /// Records that a task has ended or can no longer end, and evicts as many tasks as that requires.
    private mutating func retire(_ task: UnsafeMutablePointer<TaskRecord>) {
        guard !task.pointee.flags.contains(.isRetired) else { return }
        chains.retire(task, links, tasks)
        while chains.mustEvict, let row = chains.nextToEvict(&links, tasks) { evict(row) }
    }

    private mutating func evict(_ row: Int32) {
        let task = tasks.records.writing(row)
        if task.pointee.state == .queued { executors.dequeue(task, at: now, &tasks) }
        let last = task.pointee.lastIn
        var link = links.firstIn(of: task)
        while link >= 0 {
            let next = link == last ? -1 : links.records.reading(link).pointee.nextIn
            if let antecedent = links.remove(link, tasks) { loseSuccessor(antecedent) }
            link = next
        }
        fetchAhead(of: task.pointee.id)
        tasks.evict(row, task)
    }

    private mutating func loseSuccessor(_ task: UnsafeMutablePointer<TaskRecord>) {
        if task.pointee.state == .faulted { tasks.extra(of: task).pointee.lacksSuccessor = true }
        if task.pointee.lastOut < 0, task.pointee.kind.isOfSwift { chains.listLeaf(task, isEarly: true, links, tasks) }
    }

    /// Prefetches records that will be evicted soon. Tasks end roughly in the order of their ids, and records that were not used for a
    /// million tasks are in no cache. A task's record is fetched first; once it is there, the records it refers to are fetched.
    private func fetchAhead(of id: UInt64) {
        if let row = tasks.row(of: id &+ 512) { prefetch(tasks.records.reading(row)) }
        guard let row = tasks.row(of: id &+ 256) else { return }
        let task = tasks.records.reading(row)
        if task.pointee.lastIn >= 0 { prefetch(links.records.reading(task.pointee.lastIn)) }
    }
}
