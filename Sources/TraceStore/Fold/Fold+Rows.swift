import TaskEvents

/// Finding, creating and changing rows.
extension Fold {
    /// The row of a task. Creates a synthesised one for an unseen task. Nil for no task and for an evicted one.
    @inline(__always)
    mutating func row(for id: UInt64, at time: UInt64) -> Int32? {
        switch ids.place(of: id) {
        case .row(let row): row
        case .evicted: nil
        case .unseen: synthesise(id, at: time)
        }
    }

    @inline(never)
    private mutating func synthesise(_ id: UInt64, at time: UInt64) -> Int32? {
        guard id != 0, isReadable(id) else { return nil }
        synthesised += 1
        return makeRow(for: id, at: time, marks: .isSynthesised, chain: nil).row
    }

    /// Creates a row for a task, in `chain` or as the first task of a new chain.
    @inline(__always)
    mutating func makeRow(
        for id: UInt64, at time: UInt64, marks: TaskRecord.Marks, chain: Int32?
    ) -> (row: Int32, task: UnsafeMutablePointer<TaskRecord>) {
        let (row, task) = tasks.add(TaskRecord(id: id, created: time, chain: chain ?? -1, marks: marks))
        if let chain { hold(chain) } else { task.pointee.chain = chains.insert(ChainRecord(first: row)) }
        ids.set(id, row: row)
        taskCount &+= 1
        countByState[Int(TaskState.pending.rawValue)] &+= 1
        return (row, task)
    }

    /// Whether `id` can be a task's id. Counts ids that cannot.
    @inline(__always)
    mutating func isReadable(_ id: UInt64) -> Bool {
        if id < IDMap.limit { return true }
        unreadable += 1
        return false
    }

    var tableBytes: Int {
        ids.bytes + tasks.bytes + extras.bytes + courses.bytes + settled.bytes + links.bytes + gone.bytes + hops.bytes + mentions.bytes
            + queued.bytes + chains.bytes + leaves.bytes
    }

    @inline(__always)
    mutating func change(_ task: UnsafeMutablePointer<TaskRecord>, to state: TaskState) {
        countByState[Int(task.pointee.state.rawValue)] &-= 1
        countByState[Int(state.rawValue)] &+= 1
        task.pointee.state = state
    }

    mutating func extra(of task: UnsafeMutablePointer<TaskRecord>) -> UnsafeMutablePointer<TaskExtra> {
        if task.pointee.extra < 0 { task.pointee.extra = extras.insert(TaskExtra(course: task.pointee.extra)) }
        return extras.writing(task.pointee.extra)
    }
}

/// The times of a task, which its record stores in short form.
extension Fold {
    enum Moment {
        case queued, started, ended
    }

    @inline(__always)
    func time(_ moment: Moment, of task: UnsafePointer<TaskRecord>) -> UInt64? {
        let after =
            switch moment {
            case .queued: task.pointee.queuedAfter
            case .started: task.pointee.startedAfter
            case .ended: task.pointee.endedAfter
            }
        if after < TaskRecord.long { return task.pointee.created &+ UInt64(after) }
        return after == TaskRecord.never ? nil : longTime(moment, of: task)
    }

    private func longTime(_ moment: Moment, of task: UnsafePointer<TaskRecord>) -> UInt64 {
        let extra = extras.reading(task.pointee.extra)
        let long =
            switch moment {
            case .queued: extra.pointee.queuedAfter
            case .started: extra.pointee.startedAfter
            case .ended: extra.pointee.endedAfter
            }
        return task.pointee.created + long
    }

    /// Sets a moment. Clocks of threads may differ: a moment before the known creation counts as at the creation. If the creation is
    /// unknown, the task's earliest moment stands for it.
    @inline(__always)
    mutating func set(_ moment: Moment, of task: UnsafeMutablePointer<TaskRecord>, to time: UInt64) {
        if time < task.pointee.created, !task.pointee.marks.contains(.knowsCreated) { rebase(task, to: time) }
        let after = time > task.pointee.created ? time &- task.pointee.created : 0
        let short = after < UInt64(TaskRecord.long) ? UInt32(truncatingIfNeeded: after) : TaskRecord.long
        if short == TaskRecord.long { setLong(moment, of: task, after: after) }
        switch moment {
        case .queued: task.pointee.queuedAfter = short
        case .started: task.pointee.startedAfter = short
        case .ended: task.pointee.endedAfter = short
        }
    }

    private mutating func setLong(_ moment: Moment, of task: UnsafeMutablePointer<TaskRecord>, after: UInt64) {
        let extra = extra(of: task)
        switch moment {
        case .queued: extra.pointee.queuedAfter = after
        case .started: extra.pointee.startedAfter = after
        case .ended: extra.pointee.endedAfter = after
        }
    }

    /// Changes the creation time and keeps the other moments.
    mutating func rebase(_ task: UnsafeMutablePointer<TaskRecord>, to created: UInt64) {
        unfoldHop(of: task)
        unsettle(task)
        let queued = time(.queued, of: task)
        let started = time(.started, of: task)
        let ended = time(.ended, of: task)
        task.pointee.created = created
        if let queued { set(.queued, of: task, to: max(queued, created)) }
        if let started { set(.started, of: task, to: max(started, created)) }
        if let ended { set(.ended, of: task, to: max(ended, created)) }
    }
}
