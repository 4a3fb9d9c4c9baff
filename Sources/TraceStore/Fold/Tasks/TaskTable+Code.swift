import TaskEvents

/// Suspensions in code whose names are not known yet, in their order. A reader looks names up while the program runs, so the first
/// requests of a server may have ended before their handler has a name.
struct UnnamedWaits {
    struct Wait: BitwiseCopyable {
        var task: UInt64
        var code: UInt32
    }

    /// Bounds the memory in a program whose code never gets names.
    private static let limit = 1 << 16

    private(set) var waits: [Wait] = []

    mutating func note(_ task: UInt64, in code: EntryID) {
        guard waits.count < Self.limit else { return }
        if let last = waits.last, last.task == task, last.code == code.rawValue { return }
        waits.append(Wait(task: task, code: code.rawValue))
    }

    /// Removes and returns the waits whose code has names now.
    mutating func takeNamed(_ entries: EntryTable) -> [Wait] {
        var isNamed: [UInt32: Bool] = [:]
        let all = waits
        waits = []
        return all.filter { wait in
            let named = isNamed[wait.code] ?? entries.areNamed(in: EntryID(rawValue: wait.code))
            isNamed[wait.code] = named
            if !named { waits.append(wait) }
            return named
        }
    }
}

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

    /// Does so for tasks that were suspended before the names of their code were known, whether they still wait or not.
    mutating func callAfterHandlers(_ entries: EntryTable) {
        for wait in unnamed.takeNamed(entries) {
            guard let row = row(of: wait.task) else { continue }
            callAfterHandler(records.writing(row), EntryID(rawValue: wait.code), entries)
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
