import TaskEvents
import TraceStore

/// Who did what with an error: derived from the store's links each time it is asked, nothing is kept.
///
/// The role of one task costs no more than its links, so a screen may ask for each visible row in each frame. A path costs what it
/// reaches. Like the store, it belongs to one thread.
package struct FaultAnalysis {
    let store: TraceStore
    private let readers: ErrorReaders?

    /// Without `readers`, a role counts as read only the errors of tasks that a task is linked to; a body can also read that of a task it
    /// has captured. Paths need no `readers`.
    package init(_ store: TraceStore, readers: ErrorReaders? = nil) {
        self.store = store
        self.readers = readers
    }

    /// What the task did with the errors that reached it, by what it ended with.
    ///
    /// On the path of one error the role may be another one: a body that ran on a failed antecedent without reading it and threw an error of
    /// its own is `swallowed` on the old path, and `thrown` here and on its own.
    package func role(of task: TaskView) -> FaultRole? {
        switch task.state {
        case .pending, .queued, .running, .suspended:
            nil
        case .succeeded, .cancelled:
            roleOfEnd(of: task)
        case .faulted:
            roleOfFault(of: task)
        }
    }

    private func roleOfEnd(of task: TaskView) -> FaultRole? {
        guard task.hasBegun else { return nil }
        if hasReadError(task) { return task.state == .succeeded ? .recovered : .read }
        return task.continuedTask.map(hasFaulted) == true ? .swallowed : nil
    }

    /// Whether its body read an error.
    private func hasReadError(_ task: TaskView) -> Bool {
        if let readers { return readers.contains(task.id) }
        return task.antecedents.contains { store.task($0)?.readers.contains(task.id) ?? false }
    }

    private func roleOfFault(of task: TaskView) -> FaultRole {
        guard let carried = carriedRole(of: task) else { return originRole(of: task) }
        return endOfPath(at: task) ?? carried
    }

    /// The role of a task that ended with an error it had not made itself; nil for one that had.
    ///
    /// An aggregate of nothing (`whenAny([])`) came from nowhere else: it is an origin.
    private func carriedRole(of task: TaskView) -> FaultRole? {
        switch task.faultManner {
        case .forwarded: .forwarded
        case .transformed where task.faultSource == .none && task.firstAntecedent == nil: nil
        case .transformed: .transformed
        case .thrown, .injected, nil: nil
        }
    }

    private func originRole(of task: TaskView) -> FaultRole {
        task.faultManner == .injected ? .injected : .thrown
    }

    // MARK: Origins

    /// Whether a fault begins here: the task made its error, or got it from one that the store knows nothing of, or not that it failed.
    package func isOrigin(_ task: TaskView) -> Bool {
        guard task.state == .faulted else { return false }
        guard carriedRole(of: task) != nil else { return true }
        if task.faultSource != .none { return !hasFaulted(task.faultSource) }
        return !task.antecedents.contains(where: hasFaulted)
    }

    func hasFaulted(_ task: TaskID) -> Bool {
        store.task(task)?.state == .faulted
    }

    /// Where the store's faults began, by the time at which they did, then by id.
    package func origins() -> [TaskID] {
        store.rows.lazy
            .map { store[$0] }
            .filter(isOrigin)
            .map { (task: $0.id, ended: $0.ended ?? .max) }
            .sorted { ($0.ended, $0.task) < ($1.ended, $1.task) }
            .map(\.task)
    }

    /// The store's faults in the order of ``origins()``. Each path is found when the sequence comes to it.
    package func faults() -> some Sequence<FaultPath> {
        origins().lazy.compactMap { path(from: $0) }
    }
}

extension TaskView {
    /// Whether its body has run or runs.
    var hasBegun: Bool { startManner != nil || started != nil }

    /// The task that it continues.
    var continuedTask: TaskID? { kind == .continuation ? firstAntecedent : nil }
}
