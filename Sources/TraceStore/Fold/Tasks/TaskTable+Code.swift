import TaskEvents

/// Facts that follow from the code in which a task waits: its name, if a library made it, and the usual length of a wait there.
extension TaskTable {
    /// Calls a task that a library made after the user's function that it awaits. One that serves one request after another is called after
    /// the latest.
    func callAfterHandler(_ task: UnsafeMutablePointer<TaskRecord>, _ code: EntryID, _ entries: EntryTable) {
        let label = EntryID(rawValue: task.pointee.label)
        guard entries.owner(of: code) == .program else { return }
        let isOfHandler = entries.isCode(label)
        guard isOfHandler || entries.owner(of: label) == .library else { return }
        if isOfHandler, entries.haveSameHandler(label, code) { return }
        task.pointee.label = code.rawValue
    }

    /// The most rows that are looked at when names of code become known.
    private static var rowsNamedAtOnce: Int { 1 << 16 }

    /// Does so for tasks that were suspended before the names of their code were known.
    func callAfterHandlers(_ entries: EntryTable) {
        guard entries.hasLibraries else { return }
        var left = Self.rowsNamedAtOnce
        var cursor: UInt64 = 1
        while left > 0, let (id, row) = ids.tasks.next(from: cursor) {
            left -= 1
            cursor = id + 1
            let record = records.reading(row)
            guard record.pointee.state == .suspended, record.pointee.extra >= 0 else { continue }
            let code = extras.reading(record.pointee.extra).pointee.awaited
            callAfterHandler(records.writing(row), EntryID(rawValue: code), entries)
        }
    }

    /// Counts the wait of a suspended task, which ends, for the place where the task waits.
    @inline(__always)
    mutating func noteWait(of task: UnsafeMutablePointer<TaskRecord>, until time: UInt64) {
        guard task.pointee.state == .suspended, task.pointee.extra >= 0,
            let since = openHistory(of: task)?.pointee.lastTime(of: .suspended), time > since
        else { return }
        let code = extras.reading(task.pointee.extra).pointee.awaited
        if code != 0 { waits.note(time - since, at: code) }
    }
}
