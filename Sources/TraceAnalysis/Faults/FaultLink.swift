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

extension FaultAnalysis {
    /// Calls `visit` with each task that can have got the error of `source`, until `visit` returns false. Tasks whose bodies read the error
    /// come first, then the other tasks that have `source` as an antecedent. A join is visited once for each time that `source` is its
    /// input.
    func visitLinks(of source: TaskView, _ visit: (FaultLink) -> Bool) {
        let readers = Set(source.readers)
        for reader in readers {
            guard let task = store.task(reader) else { continue }
            if !visit(FaultLink(task: task, taking: taking(of: source, by: task, hasRead: true))) { return }
        }
        for successor in source.successors where !readers.contains(successor) {
            guard let task = store.task(successor) else { continue }
            if !visit(FaultLink(task: task, taking: taking(of: source, by: task, hasRead: false))) { return }
        }
    }

    /// Whether a reader that the store does not keep has read the task's error: code outside every body, or a task that was dropped.
    func isReadOutside(_ task: TaskView) -> Bool {
        task.isErrorReadOutside || task.readers.contains { store.task($0) == nil }
    }
}
