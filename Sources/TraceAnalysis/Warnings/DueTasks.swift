import TaskEvents

/// Tasks that a rule checks again after a pause. By then, the store has also read the records that other threads wrote meanwhile.
struct DueTasks {
    /// Nanoseconds. Records of different threads reach the store out of order by at most this much.
    static let patience: UInt64 = 100_000_000

    private var waiting: [(task: TaskID, since: UInt64)] = []
    private var next = 0
    private var members = TaskMap<Void>()

    mutating func append(_ task: TaskID, since: UInt64) {
        guard !members.contains(task) else { return }
        members[task] = ()
        waiting.append((task, since))
    }

    /// The tasks whose pause is over, in order of insertion. All tasks once the trace is over.
    mutating func take(_ scene: WarningScene) -> [(task: TaskID, since: UInt64)] {
        var due: [(task: TaskID, since: UInt64)] = []
        while next < waiting.count, scene.isOver || scene.elapsed(since: waiting[next].since) > Self.patience {
            due.append(waiting[next])
            _ = members.remove(waiting[next].task)
            next += 1
        }
        if next > 1024, next * 2 > waiting.count {
            waiting.removeFirst(next)
            next = 0
        }
        return due
    }

    /// Whether the task's pause is not over.
    func contains(_ task: TaskID) -> Bool {
        members.contains(task)
    }

    /// The tasks whose pause is not over.
    var rest: ArraySlice<(task: TaskID, since: UInt64)> { waiting[next...] }
}
