import TaskEvents
import TraceStore

/// A task that is linked to a failed one, and what it does with the error.
struct FaultLink {
    var task: TaskView
    var taking: Taking

    /// When the task got the error from `source`: when its body began, or when it ended with the error. `.max` for a task that has not
    /// got it.
    func takenAt(from source: TaskView) -> UInt64 {
        guard let time = endsWithError(of: source) ? task.ended : task.started else { return .max }
        return max(time, source.ended ?? 0)
    }

    /// When the task got the error, where the trace says so: a body that had begun before may have read the error at any later time.
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
    /// Calls `visit` with each task that can have got the error of `source`, until `visit` returns false: first the tasks whose bodies read
    /// it, then the others that have `source` as an antecedent. A join comes as often as it has the task as an input.
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

    /// Whether the task's error was read by a reader of which the store knows no more: code outside every body, or a task that is no longer
    /// kept.
    func isReadOutside(_ task: TaskView) -> Bool {
        task.isErrorReadOutside || task.readers.contains { store.task($0) == nil }
    }
}
