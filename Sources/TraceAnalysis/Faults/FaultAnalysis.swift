import TaskEvents
import TraceStore

/// Derives what each task did with an error. Reads the store's links on each call and keeps nothing.
///
/// The cost of a task's role is bounded, so a screen can ask for each visible row in each frame. The cost of a path is the number of tasks
/// that it reaches. Like the store, it belongs to one thread.
package struct FaultAnalysis {
    /// The number of links that are examined for whether a task has read an error. Without an answer by then, its role is not known.
    private static let readLimit = 4096

    let store: TraceStore
    private let readers: ErrorReaders?
    /// Whether the program has ended. A task that has not ended by then never will.
    let isOver: Bool
    /// The facts that the trace can show.
    let sight: TraceSight

    /// - Parameters:
    ///   - readers: the readers of errors. Without them, a role counts only reads of linked tasks' errors, but a body can also read the
    ///     error of a captured task. Paths need no `readers`.
    ///   - isOver: whether the program has ended. If nil, the store decides.
    package init(_ store: TraceStore, readers: ErrorReaders? = nil, isOver: Bool? = nil) {
        self.store = store
        self.readers = readers
        self.isOver = isOver ?? store.isOver
        sight = TraceSight(store)
    }

    /// The task's role towards the errors that reached it, judged by its own outcome.
    ///
    /// The task can have another role on the path of a given error. Example: a body ran on a failed antecedent without reading its error,
    /// and threw an error of its own. It is `swallowed` on the antecedent's path, and `thrown` here and on its own path.
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

    /// A task that continues no other task has read an error as soon as it has it, whatever its own outcome.
    private func roleOfOpen(_ task: TaskView) -> FaultRole? {
        (isOver || task.kind != .continuation) && hasReadError(task) == true ? .read : nil
    }

    private func roleOfEnd(of task: TaskView) -> FaultRole? {
        guard task.hasBegun else { return nil }
        guard let hasRead = hasReadError(task) else { return nil }
        if hasRead { return task.state == .succeeded ? .recovered : .read }
        guard task.continuedTask.map(hasFaulted) == true else { return nil }
        return sight.showsReads(of: task) ? .swallowed : nil
    }

    /// Whether its body read an error. Nil if that is not found within ``readLimit`` links.
    private func hasReadError(_ task: TaskView) -> Bool? {
        if let readers { return readers.contains(task.id) }
        var left = Self.readLimit
        for antecedent in task.antecedents {
            left -= 1
            guard let failed = store.task(antecedent) else { continue }
            for reader in failed.readers {
                guard left > 0 else { return nil }
                left -= 1
                guard reader == task.id else { continue }
                if task.hasReceivedError(of: failed) { return true }
                break
            }
            guard left > 0 else { return nil }
        }
        return false
    }

    private func roleOfFault(of task: TaskView) -> FaultRole {
        guard let carried = carriedRole(of: task) else { return originRole(of: task) }
        guard let end = endOfPath(at: task) else { return carried }
        return end == .read || sight.showsReads(of: task) ? end : carried
    }

    /// The role of a task that ended with an error made by another task. Nil for a task that made its error.
    ///
    /// An aggregate of no inputs (`whenAny([])`) came from no other task, so the task is an origin.
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

    /// Whether a fault begins here: the task made its error, or the store does not know that the error's source failed.
    package func isOrigin(_ task: TaskView) -> Bool {
        isBeginning(task) || isUnreadReplacement(task)
    }

    func isBeginning(_ task: TaskView) -> Bool {
        guard task.state == .faulted else { return false }
        guard carriedRole(of: task) != nil else { return true }
        if task.faultSource != .none { return !hasFaulted(task.faultSource) }
        return !task.antecedents.contains(where: hasFaulted)
    }

    /// Whether the Swift task took an error and then threw one of its own, which nothing read. What became of the first error must not hide
    /// that: the task may have handled it, or another task may have.
    private func isUnreadReplacement(_ task: TaskView) -> Bool {
        isReplacement(task.id) && hasFaulted(task.faultSource) && isUnread(from: task)
    }

    /// Whether the Swift task took another one's error and then threw one of its own.
    func isReplacement(_ task: TaskID) -> Bool {
        store.task(task).map { $0.kind.isOfSwift && $0.faultManner == .transformed } ?? false
    }

    /// Whether the path begins at a task whose error came from another one, which the store has evicted.
    package func isCutOff(_ path: FaultPath) -> Bool {
        store.evictedCount > 0 && store.task(path.origin).flatMap(carriedRole) != nil
    }

    func hasFaulted(_ task: TaskID) -> Bool {
        store.task(task)?.state == .faulted
    }

    /// The tasks in which the store's faults began, sorted by the time of failure, then by id.
    package func origins() -> [TaskID] {
        store.rows.lazy
            .map { store[$0] }
            .filter(isOrigin)
            .map { (task: $0.id, ended: $0.ended ?? .max) }
            .sorted { ($0.ended, $0.task) < ($1.ended, $1.task) }
            .map(\.task)
    }

    /// The store's faults in the order of ``origins()``. The sequence finds each path lazily.
    package func faults() -> some Sequence<FaultPath> {
        origins().lazy.compactMap { path(from: $0) }
    }
}

extension TaskView {
    /// Whether its body is running or has run.
    var hasBegun: Bool { startManner != nil || started != nil }

    /// The task that it continues.
    var continuedTask: TaskID? { kind == .continuation ? firstAntecedent : nil }
}
