import TaskEvents
import TraceStore

/// A task that is linked to a failed one, and how it stands to the error.
struct FaultLink {
    var task: TaskView
    var taking: Taking

    /// When the task got the error from `source`: when its body began, or when it ended with it. Last of all for one that has yet to.
    func takenAt(from source: TaskView) -> UInt64 {
        let endsWithIt = task.isSkipped || task.kind == .join || task.inner == source.id
        guard let time = endsWithIt ? task.ended : task.started else { return .max }
        return max(time, source.ended ?? 0)
    }
}

extension FaultAnalysis {
    /// Calls `visit` with each task that can have got the error of `source`, until it returns false: those whose bodies read it, then the
    /// others that have it as an antecedent. A join comes as often as it has the task as an input.
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

    /// Whether somebody read the task's error of whose further way the store knows nothing: outside of every body, or in a task that it
    /// no longer keeps.
    func isReadOutside(_ task: TaskView) -> Bool {
        task.isErrorReadOutside || task.readers.contains { store.task($0) == nil }
    }
}
