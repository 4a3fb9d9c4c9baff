/// The earlier states of tasks.
extension TaskTable {
    /// The history's index in ``histories``; -1 if the task has none; less than -1 if its history is settled.
    @inline(__always)
    private func historyIndex(of task: UnsafePointer<TaskRecord>) -> Int32 {
        let extra = task.pointee.extra
        return extra < 0 ? extra : extras.reading(extra).pointee.history
    }

    @inline(__always)
    func hasHistory(_ task: UnsafePointer<TaskRecord>) -> Bool {
        historyIndex(of: task) != -1
    }

    /// Nil if the task has no history, or a settled one.
    @inline(__always)
    func openHistory(of task: UnsafePointer<TaskRecord>) -> UnsafePointer<StateHistory>? {
        let index = historyIndex(of: task)
        return index >= 0 ? histories.open.reading(index) : nil
    }

    private func history(of task: UnsafePointer<TaskRecord>) -> StateHistory? {
        if let history = openHistory(of: task) { return history.pointee }
        let index = historyIndex(of: task)
        return index < -1 ? histories.settled(index, since: task.pointee.created) : nil
    }

    /// The history, ready to be changed; nil if the task has none.
    mutating func mutableHistory(of task: UnsafeMutablePointer<TaskRecord>) -> UnsafeMutablePointer<StateHistory>? {
        restoreHistory(of: task)
        let index = historyIndex(of: task)
        return index >= 0 ? histories.open.writing(index) : nil
    }

    /// Adds a step to the task's history. A new history begins with the times in the task's record. Returns whether the step is the latest.
    @discardableResult
    mutating func step(_ task: UnsafeMutablePointer<TaskRecord>, _ state: TaskState, at time: UInt64) -> Bool {
        let index = historyIndex(of: task)
        let history = index >= 0 ? histories.open.writing(index) : makeHistory(of: task)
        return history.pointee.insert(state, at: time)
    }

    /// Restores the task's settled history, or creates a new one.
    @inline(never)
    private mutating func makeHistory(of task: UnsafeMutablePointer<TaskRecord>) -> UnsafeMutablePointer<StateHistory> {
        if let history = mutableHistory(of: task) { return history }
        let (index, history) = histories.add()
        extra(of: task).pointee.history = index
        let started = time(.started, of: task)
        if let queued = time(.queued, of: task) { history.pointee.insert(.queued, at: min(queued, started ?? queued)) }
        if let started { history.pointee.insert(.running, at: started) }
        return history
    }

    /// Whether a start at `time` is the missing start of an earlier job: the job has left its queue, and the task has run or suspended
    /// since then.
    @inline(__always)
    func isOfEarlierJob(_ time: UInt64, _ task: UnsafePointer<TaskRecord>) -> Bool {
        task.pointee.flags.contains(.owesStarted) && hasGoneOn(task, after: time)
    }

    private func hasGoneOn(_ task: UnsafePointer<TaskRecord>, after time: UInt64) -> Bool {
        guard let history = history(of: task) else { return false }
        return max(history.lastTime(of: .suspended) ?? 0, history.lastTime(of: .running) ?? 0) > time
    }

    /// Nanoseconds that the task has spent in `state` until `now`.
    func spent(_ state: TaskState, by task: UnsafePointer<TaskRecord>, now: UInt64) -> UInt64 {
        let end = time(.ended, of: task) ?? now
        if let history = history(of: task) { return history.total(state, until: end) }
        let from: UInt64?
        let until: UInt64
        switch state {
        case .queued:
            from = time(.queued, of: task)
            until = min(time(.started, of: task) ?? end, end)
        case .running:
            from = time(.started, of: task)
            until = end
        case .pending, .suspended, .succeeded, .faulted, .cancelled: return 0
        }
        guard let from, until > from else { return 0 }
        return until - from
    }

    /// Compresses or frees the additional records of an ended task.
    mutating func settle(_ task: UnsafeMutablePointer<TaskRecord>) {
        guard task.pointee.extra >= 0 else { return }
        let extra = extras.writing(task.pointee.extra)
        histories.settle(&extra.pointee.history, since: task.pointee.created)
        guard extra.pointee.history < 0, extra.pointee.saysNothing, !task.pointee.hasLongTime else { return }
        let history = extra.pointee.history
        extras.remove(task.pointee.extra)
        task.pointee.extra = history
    }

    /// Restores a settled history. It must be called before the history or its base time changes.
    @inline(__always)
    mutating func restoreHistory(of task: UnsafeMutablePointer<TaskRecord>) {
        if historyIndex(of: task) < -1 { restoreSettledHistory(of: task) }
    }

    @inline(never)
    private mutating func restoreSettledHistory(of task: UnsafeMutablePointer<TaskRecord>) {
        let extra = extra(of: task)
        extra.pointee.history = histories.restore(extra.pointee.history, since: task.pointee.created)
    }
}
