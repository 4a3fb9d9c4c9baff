/// The hops of tasks. A task's only hop may be derived from the task's executor and times.
extension TaskTable {
    @inline(__always)
    mutating func add(_ hop: HopRecord, to task: UnsafeMutablePointer<TaskRecord>, limit: Int) {
        var hop = hop
        restoreHop(of: task)
        // If the record came after the job had begun, the wait follows from the task's times.
        if task.pointee.startedAfter != TaskRecord.never, !task.pointee.flags.contains(.owesEnqueued),
            let started = time(.started, of: task), let queued = time(.queued, of: task), queued >= hop.at
        {
            hop.wait = started > queued ? started - queued : 0
        }
        hops.insert(hop, of: task, limit: limit)
    }

    /// A body begins. Stores the task's only hop in short form if possible.
    @inline(__always)
    mutating func shortenHop(of task: UnsafeMutablePointer<TaskRecord>) {
        guard task.pointee.hops.last >= 0, let queued = time(.queued, of: task), let started = time(.started, of: task) else { return }
        hops.shorten(task, queued: queued, started: started)
    }

    /// Creates the record of a hop in short form, before the facts it is derived from change.
    @inline(__always)
    mutating func restoreHop(of task: UnsafeMutablePointer<TaskRecord>) {
        if task.pointee.hops.isShort { restoreShortHop(of: task) }
    }

    @inline(never)
    private mutating func restoreShortHop(of task: UnsafeMutablePointer<TaskRecord>) {
        if let hop = shortHop(of: task) { hops.restore(hop, of: task) }
    }

    /// The task's only hop, if it has no record.
    @inline(__always)
    func shortHop(of task: UnsafePointer<TaskRecord>) -> HopRecord? {
        guard task.pointee.hops.isShort, let queued = time(.queued, of: task), let started = time(.started, of: task) else { return nil }
        return task.pointee.hops.record(to: task.pointee.executor, queued: queued, started: started)
    }
}
