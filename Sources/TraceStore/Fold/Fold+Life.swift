import TaskEvents

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
        executors.name(event.executor.rawValue, of: task, &tasks)
        if let from {
            chains.links.addOnly(row, task, from: from, tasks.records.writing(from))
            noteMaking(of: kind, by: from)
        } else if other != 0 {
            linkFirst(row, from: other, at: event.time)
            callMakerAfterHandler(event, kind)
        }
    }

    private mutating func createdLate(_ event: EventReference, _ kind: TaskKind, _ row: Int32) {
        let task = tasks.records.writing(row)
        // A second `created` changes nothing.
        guard !task.pointee.flags.contains(.knowsCreated) else { return }
        tasks.fillIn(task, createdAt: event.time, afterLoss: losses.events > 0)
        tasks.set(kind, of: task)
        task.pointee.label = event.label.rawValue
        executors.name(event.executor.rawValue, of: task, &tasks)
        if event.other != 0 {
            linkFirst(row, from: event.other, at: event.time)
            callMakerAfterHandler(event, kind)
        }
    }

    /// The task was there before the probe was loaded: what is told of it is no creation.
    mutating func adopted(_ event: EventReference) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        guard !task.pointee.flags.contains(.knowsCreated), !task.pointee.isAdopted else { return }
        guard let kind = TaskKind(rawValue: event.detail), kind.isOfSwift else { return }
        tasks.counts.adopted += 1
        tasks.set(kind, of: task)
        task.pointee.label = event.label.rawValue
        if event.other != 0 { linkFirst(row, from: event.other, at: event.time) }
    }

    /// Links a task to the antecedent that its `created` record names. The link precedes all others.
    private mutating func linkFirst(_ row: Int32, from: UInt64, at time: UInt64) {
        guard isReadable(from) else { return }
        let task = tasks.records.writing(row)
        // Joins the chain first, so that the link is recognised as one within the chain.
        if task.pointee.kind.continuesAChain, let antecedent = self.row(for: from, at: time) {
            chains.join(task, tasks.records.reading(antecedent), tasks)
        }
        let antecedent = self.row(for: from, at: time)
        let link = chains.link(row, task, from: from, antecedent, tasks).index
        if task.pointee.lastIn < 0 { task.pointee.lastIn = link }
        if let antecedent { noteMaking(of: task.pointee.kind, by: antecedent) }
    }

    /// A task that makes another one is done with the error that it took before.
    @inline(__always)
    private mutating func noteMaking(of kind: TaskKind, by row: Int32) {
        guard kind.isOfSwift else { return }
        let extra = tasks.records.reading(row).pointee.extra
        if extra >= 0 { tasks.extras.writing(extra).pointee.hasGoneOn = true }
    }

    mutating func addAntecedent(_ event: EventReference) {
        guard event.other != 0, isReadable(event.other) else { return }
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        guard event.detail != AntecedentRole.awaited.rawValue else {
            recordAwait(of: event.other, by: task, at: event.time)
            return
        }
        let (link, record) = chains.link(row, task, from: event.other, self.row(for: event.other, at: event.time), tasks)
        record.pointee.isInner = event.detail == AntecedentRole.inner.rawValue
        task.pointee.lastIn = link
    }

    // MARK: Executors

    mutating func enqueued(_ event: EventReference) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let isResumed = waitsForContinuation(row, event)
        executors.enqueued(event, row, &tasks)
        if IDMap.isBlock(event.other) { noteResumption(of: row, event) } else if isResumed { noteResumingTask(of: row, event) }
    }

    /// Whether another task's code enqueues a task that waits for a continuation, and for no task's value: then it has resumed it.
    @inline(__always)
    private func waitsForContinuation(_ row: Int32, _ event: EventReference) -> Bool {
        guard event.other != 0, event.other != event.task.rawValue, !IDMap.isBlock(event.other) else { return false }
        let task = tasks.records.reading(row)
        guard task.pointee.state == .suspended, let extra = tasks.knownExtra(of: task) else { return false }
        return extra.pointee.suspension == SuspensionReason.continuation.rawValue && extra.pointee.other == 0
    }

    /// The runtime's own tasks resume those that sleep.
    private mutating func noteResumingTask(of row: Int32, _ event: EventReference) {
        guard let by = self.row(for: event.other, at: event.time), tasks.records.reading(by).pointee.kind != .internal else { return }
        tasks.recordResumption(of: tasks.records.writing(row), byTask: event.other)
    }

    /// A block that enqueues a task has made it, or has resumed its continuation.
    private mutating func noteResumption(of row: Int32, _ event: EventReference) {
        guard !IDMap.isBlock(event.task.rawValue), let by = self.row(for: event.other, at: event.time) else { return }
        let task = tasks.records.writing(row)
        guard chains.links.firstAntecedent(of: task, tasks) != event.other else { return }
        tasks.recordResumption(of: task, by: tasks.records.writing(by))
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
            // A handler may wait for nothing but actors.
            callAfterHandler(task, event.label)
        }
    }

    // MARK: Running

    mutating func started(_ event: EventReference, lane: UInt16) {
        let manner = StartManner(rawValue: event.detail) ?? .inline
        if event.executor.rawValue != 0 {
            let executor = executors.use(event.executor.rawValue)
            executor.pointee.jobs &+= 1
            lanes.begin(event, lane: lane, manner, on: executor)
        }
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        executors.started(event, manner, lane: lane, tasks.records.writing(row), &tasks)
    }

    mutating func suspended(_ event: EventReference, lane: UInt16) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        endInline(task, event, lane: lane)
        executors.enter(.suspended, task, at: event.time, &tasks)
        if task.pointee.state == .suspended {
            let extra = tasks.extra(of: task)
            // The task may have named the awaited task before it suspended on the continuation.
            let awaited = event.detail == SuspensionReason.continuation.rawValue ? tasks.awaitedNow(by: task) : nil
            extra.pointee.other = awaited ?? event.other
            extra.pointee.suspension = event.detail
            extra.pointee.awaited = event.label.rawValue
            extra.pointee.noteSuspension(at: event.label)
            if event.detail != SuspensionReason.executor.rawValue {
                executors.entries.noteWait(in: event.label, ofTasks: EntryID(rawValue: task.pointee.label))
            }
            callAfterHandler(task, event.label)
        }
        // A task that awaits another task's value also receives its error.
        if event.detail == SuspensionReason.task.rawValue, event.other != 0, let other = self.row(for: event.other, at: event.time) {
            guard !chains.isWaitOfScope(task, for: tasks.records.writing(other), &tasks) else { return }
            chains.addReader(event.task.rawValue, of: tasks.records.writing(other), &tasks)
            recordAwait(of: event.other, by: task, at: event.time)
        } else if event.detail != SuspensionReason.executor.rawValue, task.pointee.extra >= 0 {
            // A task suspends on a continuation also for a chain's value, which it has named before.
            let isAwait = event.detail == SuspensionReason.continuation.rawValue && tasks.awaitedNow(by: task) != nil
            if !isAwait { tasks.extras.writing(task.pointee.extra).pointee.hasGoneOn = true }
        }
    }

    /// A task that made another one was in the code that made it.
    @inline(__always)
    private mutating func callMakerAfterHandler(_ event: EventReference, _ kind: TaskKind) {
        guard kind.isOfSwift, let code = executors.entries.code(ofLabel: event.label), let row = tasks.row(of: event.other) else { return }
        callAfterHandler(tasks.records.writing(row), code)
    }

    /// Calls a task after the code that it awaits, now or as soon as that code has a name.
    @inline(__always)
    private mutating func callAfterHandler(_ task: UnsafeMutablePointer<TaskRecord>, _ code: EntryID) {
        switch executors.entries.owner(of: code) {
        case .program: if executors.entries.hasLibraries { tasks.callAfterHandler(task, code, executors.entries) }
        case .library: break
        case .unknown: if code != .none, executors.entries.isCode(code) { tasks.unnamed.note(task.pointee.id, in: code) }
        }
    }

    /// The task's own code gave it a name.
    mutating func named(_ event: EventReference) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        tasks.extra(of: tasks.records.writing(row)).pointee.name = event.label.rawValue
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
        tasks.noteWait(of: task, until: event.time)
        if executors.enter(.running, task, at: event.time, &tasks), event.executor.rawValue != 0 { task.pointee.lane = lane }
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
        tasks.note(request: event, of: task)
        // A cancelled task's child is cancelled as it is made, so the later end of the child's scope asks for nothing.
        if !task.pointee.flags.contains(.knowsCreated) { tasks.extra(of: task).pointee.scope = .unclear }
    }

    mutating func cancellationSeen(_ event: EventReference) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        tasks.noteLook(at: event.time, by: tasks.records.writing(row))
    }

    mutating func shielded(_ event: EventReference) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        if event.detail == ShieldManner.ended.rawValue {
            tasks.endShield(of: task, at: event.time)
        } else {
            tasks.beginShield(of: task, at: event.time, calls: event.label.rawValue)
        }
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

    mutating func errorRead(_ event: EventReference) {
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        guard event.other != 0 else {
            chains.readOutside(task, tasks)
            return
        }
        if task.pointee.kind == .asyncLet, let row = tasks.row(of: event.other) {
            let reader = tasks.records.writing(row)
            guard !chains.isWaitOfScope(reader, for: task, &tasks) else { return }
            recordAwait(of: event.task.rawValue, by: reader, at: event.time)
        }
        chains.addReader(event.other, of: task, isProven: true, &tasks)
    }

    /// The routes without which a task can take a value unseen.
    private static var routesOfAwaits: TraceRoutes { [.created, .slices, .waits, .read] }

    /// Whether the trace has all that a task has awaited.
    private func showsAwaits(of task: UnsafePointer<TaskRecord>) -> Bool {
        losses.events == 0 && !task.pointee.flags.contains(.isSynthesised)
            && executors.entries.swiftRoutes.isSuperset(of: Self.routesOfAwaits)
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
            if state == .faulted, task.pointee.kind.isOfSwift, showsAwaits(of: task) {
                chains.attributeError(of: task, showsScopes: executors.entries.swiftRoutes.contains(.cancellation), &tasks)
            }
            if !chains.openSearches.isEmpty { goOnWithSearches(after: task) }
            // A group rethrows a child's error to the task that waits for the group. The trace does not say whether a task waits.
            if state == .faulted, task.pointee.kind == .groupChild, let parent = chains.links.firstAntecedent(of: task, tasks) {
                if task.pointee.flags.contains(.isAskedToStop) { tasks.extra(of: task).pointee.scope = .unclear }
                if tasks.knownExtra(of: task)?.pointee.scope != .left { chains.addReader(parent, of: task, &tasks) }
            }
        case .succeeded, .pending, .queued, .running, .suspended: break
        }
        tasks.settle(task)
        retire(task)
    }

    @inline(never)
    private mutating func goOnWithSearches(after task: UnsafeMutablePointer<TaskRecord>) {
        chains.goOnWithSearches(
            after: task, isComplete: showsAwaits(of: task),
            showsScopes: executors.entries.swiftRoutes.contains(.cancellation), &tasks)
    }

    mutating func released(_ event: EventReference) {
        // It tells of the group, which has given the child's result away.
        guard event.detail != ReleaseManner.taken.rawValue else { return }
        guard let row = row(for: event.task.rawValue, at: event.time) else { return }
        let task = tasks.records.writing(row)
        if event.detail == ReleaseManner.dropped.rawValue { noteDrop(of: task) }
        if task.pointee.flags.insert(.isReleased).inserted { chains.listLeaf(task, tasks) }
        // No code can end the task any more, so it is kept no longer than an ended task.
        retire(task)
    }

    /// A child that was cancelled before it failed often throws because of its cancellation, so its drop is not noted.
    private mutating func noteDrop(of task: UnsafeMutablePointer<TaskRecord>) {
        guard task.pointee.kind == .groupChild, tasks.extra(of: task).pointee.scope == .open else { return }
        tasks.extra(of: task).pointee.scope = .left
        tasks.removeReaders(of: task)
    }

    /// Records that a task has ended or can no longer end, and evicts as many tasks as that requires.
    private mutating func retire(_ task: UnsafeMutablePointer<TaskRecord>) {
        guard !task.pointee.flags.contains(.isRetired) else { return }
        chains.retire(task, tasks)
        while chains.mustEvict, let row = chains.nextToEvict(tasks) { evict(row) }
    }

    private mutating func evict(_ row: Int32) {
        let task = tasks.records.writing(row)
        if task.pointee.state == .queued { executors.dequeue(task, at: now, &tasks) }
        chains.unlink(task, &tasks)
        chains.fetchAhead(of: task.pointee.id, tasks)
        tasks.evict(row, task)
    }
}
