import TaskEvents
import TraceStore

/// A task that is linked to a failed task, and the way in which it deals with the error.
struct FaultLink {
    var task: TaskView
    var taking: Taking

    /// The time at which the task got the error from `source`: when its body began, or when it ended with the error. `.max` for a task that
    /// has not got it.
    func takenAt(from source: TaskView) -> UInt64 {
        guard let time = endsWithError(of: source) ? task.ended : task.started else { return .max }
        return max(time, source.ended ?? 0)
    }

    /// The time at which the task got the error, if the trace shows it. A body that had begun earlier can have read the error at any later
    /// time.
    func knownTakenAt(from source: TaskView) -> UInt64? {
        let time = endsWithError(of: source) ? task.ended : task.started
        guard let time, let failed = source.ended, time >= failed else { return nil }
        return time
    }

    private func endsWithError(of source: TaskView) -> Bool {
        task.isSkipped || task.kind == .join || task.inner == source.id
    }
}
