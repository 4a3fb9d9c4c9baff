/// The times of a task, which its record stores in short form.
extension TaskTable {
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
        if time < task.pointee.created, !task.pointee.flags.contains(.knowsCreated) { rebase(task, to: time) }
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
        restoreHop(of: task)
        restoreHistory(of: task)
        let queued = time(.queued, of: task)
        let started = time(.started, of: task)
        let ended = time(.ended, of: task)
        task.pointee.created = created
        if let queued { set(.queued, of: task, to: max(queued, created)) }
        if let started { set(.started, of: task, to: max(started, created)) }
        if let ended { set(.ended, of: task, to: max(ended, created)) }
    }
}
