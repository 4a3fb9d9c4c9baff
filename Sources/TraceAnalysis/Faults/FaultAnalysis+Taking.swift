import TaskEvents
import TraceStore

extension FaultAnalysis {
    /// Returns the way in which `task` deals with the error of the failed task `source`.
    ///
    /// - Parameter hasRead: whether the trace lists `task` among the readers of that error.
    func taking(of source: TaskView, by task: TaskView, hasRead: Bool) -> Taking {
        if task.id == source.id { return .nothing }
        if let role = roleCarrying(source, in: task) { return .carried(role) }
        if task.kind == .join { return takingByJoin(of: source, by: task) }
        if hasRead { return takingByReading(source, in: task) }
        let continues = task.continuedTask == source.id
        if !task.state.hasEnded, continues || task.inner == source.id { return .pending }
        return continues && task.hasBegun && !task.isSkipped ? .ended(.swallowed) : .nothing
    }

    /// The role of a task that failed because `source` failed. Nil for any other task.
    private func roleCarrying(_ source: TaskView, in task: TaskView) -> FaultRole? {
        guard task.state == .faulted else { return nil }
        switch task.faultManner {
        case .forwarded: return task.faultSource == source.id ? .forwarded : nil
        case .transformed where task.faultSource == .none: return task.kind == .join ? .transformed : nil
        case .transformed: return task.faultSource == source.id ? .transformed : nil
        case .thrown, .injected, nil: return nil
        }
    }

    private func takingByJoin(of input: TaskView, by join: TaskView) -> Taking {
        guard let joinEnded = join.ended, join.state.hasEnded else { return .pending }
        return .dropped((input.ended ?? .max) <= joinEnded ? .swallowed : .unobserved)
    }

    /// The role of `task` if its body reads the error of `source` and the task does not end with that error.
    private func takingByReading(_ source: TaskView, in task: TaskView) -> Taking {
        if source.isReadUnclear(by: task.id) { return task.hasReceivedError(of: source) ? .unclear : .pending }
        return switch task.state {
        case .pending, .queued, .running, .suspended: hasRead(source, in: task) ? .ended(.read) : .pending
        case .succeeded: .ended(.recovered)
        case .cancelled: .ended(.read)
        // The fold knows the Swift task whose error a Swift task made its own from. It read the errors of all other Swift tasks and went on.
        case .faulted: task.kind.isOfSwift && source.kind.isOfSwift ? .ended(.read) : .carried(.transformed)
        }
    }

    /// Whether a task that has not ended is done with reading the error.
    ///
    /// If another task continues the chain, the end of that task decides, unless the program ended first. Any other task reads from outside
    /// the chain.
    private func hasRead(_ source: TaskView, in task: TaskView) -> Bool {
        (isOver || task.kind != .continuation) && task.hasReceivedError(of: source)
    }

    /// Whether `task`, which takes the error of `source` as `taking` says, may have got it from another task on the path. This is so if it
    /// read this error but ended with the error of a task that had also got it.
    func mayTakeElsewhere(_ task: TaskView, _ taking: Taking, from source: TaskID) -> Bool {
        guard task.state == .faulted, taking == .carried(.transformed) || taking == .ended(.read), task.faultSource != .none,
            task.faultSource != source
        else { return false }
        guard let other = store.task(task.faultSource), other.state == .faulted else { return false }
        return !isBeginning(other)
    }

    // MARK: Ends

    /// Whether code can read the task's error after the end of the trace: the trace does not show the program's end, and something still
    /// refers to the task.
    func canBeReadLater(_ task: TaskView) -> Bool {
        !isOver && store.end == .cut && !task.isReleased && task.scopeEnd != .left
    }

    /// The role of a failed task at which its error's path ends. Nil if another task continues it, or if that is open.
    func endOfPath(at task: TaskView) -> FaultRole? {
        var dropped: FaultRole?
        var isTaken = false
        visitLinks(of: task) { link in
            if case .dropped(let role) = link.taking { dropped = dropped.map { better($0, role) } ?? role }
            isTaken = link.taking.isTaken
            return !isTaken
        }
        guard !isTaken else { return nil }
        let role = endRole(of: task, dropped: dropped)
        return role == .read || !canBeReadLater(task) ? role : nil
    }

    /// The role of a failed task that no task continues. `dropped` is the best role given to it by a join that ended without the error.
    func endRole(of task: TaskView, dropped: FaultRole?) -> FaultRole {
        isReadOutside(task) ? .read : dropped ?? .unobserved
    }

    /// The better of two roles that joins gave to an input.
    func better(_ one: FaultRole, _ other: FaultRole) -> FaultRole {
        one == .swallowed ? one : other
    }
}

extension FaultAnalysis {
    /// Calls `visit` with each task that can have got the error of `source`, until `visit` returns false. Tasks whose bodies read the error
    /// come first, then the other tasks that have `source` as an antecedent. It visits a reader as often as the reader is listed, and a join
    /// as often as `source` is its input.
    func visitLinks(of source: TaskView, _ visit: (FaultLink) -> Bool) {
        for reader in source.readers {
            guard let task = store.task(reader) else { continue }
            if !visit(FaultLink(task: task, taking: taking(of: source, by: task, hasRead: true))) { return }
        }
        // Most questions have their answer by now. Without successors, the set would have no use.
        var known: Set<TaskID>?
        for successor in source.successors {
            let readers = known ?? Set(source.readers)
            known = readers
            guard !readers.contains(successor), let task = store.task(successor) else { continue }
            if !visit(FaultLink(task: task, taking: taking(of: source, by: task, hasRead: false))) { return }
        }
    }

    /// Whether a reader that the store does not keep has read the task's error: code outside every body, or a task that was dropped.
    func isReadOutside(_ task: TaskView) -> Bool {
        task.isErrorReadOutside || task.readers.contains { store.task($0) == nil }
    }
}
