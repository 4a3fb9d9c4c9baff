import TaskEvents
import TraceStore

/// What each task did with an error, derived from the store's links whenever it is asked; nothing is kept.
///
/// The role of one task costs no more than its links, so a screen may ask for each visible row in each frame. A path costs as much as the
/// number of tasks that it reaches. Like the store, it belongs to one thread.
package struct FaultAnalysis {
    let store: TraceStore
    private let readers: ErrorReaders?
    /// Whether the program has ended: then a task that has not ended never will.
    let isOver: Bool
    /// What the trace can show.
    let sight: TraceSight

    /// - Parameters:
    ///   - readers: without them, a role counts as read only the errors of tasks that a task is linked to; a body can also read the error of
    ///     a task that it has captured. Paths need no `readers`.
    ///   - isOver: whether the program has ended; what the store says if nil.
    package init(_ store: TraceStore, readers: ErrorReaders? = nil, isOver: Bool? = nil) {
        self.store = store
        self.readers = readers
        self.isOver = isOver ?? store.isOver
        sight = TraceSight(store)
    }

    /// What the task did with the errors that reached it, by the outcome that it ended with.
    ///
    /// The task's role on the path of one error may be another: a body that ran on a failed antecedent without reading its error, and threw
    /// an error of its own, is `swallowed` on the old path, and `thrown` here and on its own path.
    package func role(of task: TaskView) -> FaultRole? {
        switch task.state {
        case .pending, .queued, .running, .suspended:
            roleOfOpen(task)
        case .succeeded, .cancelled:
            roleOfEnd(of: task)
        case .faulted:
            roleOfFault(of: task)
        }
    }

    /// A task that continues nothing has read an error as soon as it has it, whatever it ends with.
    private func roleOfOpen(_ task: TaskView) -> FaultRole? {
        (isOver || task.kind != .continuation) && hasReadError(task) ? .read : nil
    }

    private func roleOfEnd(of task: TaskView) -> FaultRole? {
        guard task.hasBegun else { return nil }
        if hasReadError(task) { return task.state == .succeeded ? .recovered : .read }
        guard task.continuedTask.map(hasFaulted) == true else { return nil }
        return sight.showsReads(of: task) ? .swallowed : nil
    }

    /// Whether its body read an error.
    private func hasReadError(_ task: TaskView) -> Bool {
        if let readers { return readers.contains(task.id) }
        return task.antecedents.contains { antecedent in
            guard let failed = store.task(antecedent), failed.readers.contains(task.id) else { return false }
            return task.hasReceivedError(of: failed)
        }
    }

    private func roleOfFault(of task: TaskView) -> FaultRole {
        guard let carried = carriedRole(of: task) else { return originRole(of: task) }
        guard let end = endOfPath(at: task) else { return carried }
        return end == .read || sight.showsReads(of: task) ? end : carried
    }

    /// The role of a task that ended with an error which another task had made; nil for a task that made its error.
    ///
    /// An aggregate of nothing (`whenAny([])`) came from no other task: it is an origin.
    func carriedRole(of task: TaskView) -> FaultRole? {
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

    /// Whether a fault begins here: the task made its error, or the store does not know that the task failed which it got the error from.
    package func isOrigin(_ task: TaskView) -> Bool {
        guard task.state == .faulted else { return false }
        guard carriedRole(of: task) != nil else { return true }
        if task.faultSource != .none { return !hasFaulted(task.faultSource) }
        return !task.antecedents.contains(where: hasFaulted)
    }

    func hasFaulted(_ task: TaskID) -> Bool {
        store.task(task)?.state == .faulted
    }

    /// The tasks in which the store's faults began, by the time at which they failed, then by id.
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
