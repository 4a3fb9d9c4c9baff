import TaskEvents
import TraceStore

/// What a task that is linked to a failed one does with the error.
enum Taking: Equatable {
    /// The task takes nothing: it was cancelled before its body began, or its body never looked at the error.
    case nothing
    /// The task is a join that ended without the error. The error ends at the input: `swallowed` if the input had ended before the join,
    /// else `unobserved`.
    case dropped(FaultRole)
    /// The task will get the error, and has not got it yet.
    case pending
    /// The error ends in the task.
    case ended(FaultRole)
    /// The task ended with the error, or with one that it made of it.
    case carried(FaultRole)

    /// Whether the path goes on to the task.
    var isTaken: Bool {
        switch self {
        case .nothing, .dropped: false
        case .pending, .ended, .carried: true
        }
    }

    /// The role of the task on the path. Nil for a task that takes nothing, and for one that has not got the error yet.
    var role: FaultRole? {
        switch self {
        case .nothing, .dropped, .pending: nil
        case .ended(let role), .carried(let role): role
        }
    }
}

extension FaultAnalysis {
    /// What `task` does with the error of `source`, which has failed.
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

    /// The role of a task that failed because `source` did; nil for every other task.
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

    /// The body of `task` reads the error of `source`, and `task` does not end with that error.
    private func takingByReading(_ source: TaskView, in task: TaskView) -> Taking {
        switch task.state {
        case .pending, .queued, .running, .suspended: hasRead(source, in: task) ? .ended(.read) : .pending
        case .succeeded: .ended(.recovered)
        case .cancelled: .ended(.read)
        // A task that awaited another value afterwards went on: nothing shows that its own error was made of this one.
        case .faulted: task.awaitedAnother(after: source.id) ? .ended(.read) : .carried(.transformed)
        }
    }

    /// Whether a task that has not ended has read the error for good.
    ///
    /// Where something continues a chain, its end decides, unless the program ended first. Everything else reads from outside the chain.
    private func hasRead(_ source: TaskView, in task: TaskView) -> Bool {
        (isOver || task.kind != .continuation) && task.hasReceivedError(of: source)
    }

    /// Whether `task`, which takes the error of `source` by `taking`, may have got it from another task on the path: it read this error, but
    /// ended with the error of a task that had got it too.
    func mayTakeElsewhere(_ task: TaskView, _ taking: Taking, from source: TaskID) -> Bool {
        guard taking == .carried(.transformed), task.faultSource != .none, task.faultSource != source else { return false }
        guard let other = store.task(task.faultSource), other.state == .faulted else { return false }
        return !isOrigin(other)
    }

    // MARK: Ends

    /// The role of a failed task at which its error's path ends; nil where something continues the task.
    func endOfPath(at task: TaskView) -> FaultRole? {
        var dropped: FaultRole?
        var isTaken = false
        visitLinks(of: task) { link in
            if case .dropped(let role) = link.taking { dropped = dropped.map { better($0, role) } ?? role }
            isTaken = link.taking.isTaken
            return !isTaken
        }
        return isTaken ? nil : endRole(of: task, dropped: dropped)
    }

    /// The role of a failed task that nothing continues. `dropped` is the best role that a join gave it which ended without the error.
    func endRole(of task: TaskView, dropped: FaultRole?) -> FaultRole {
        isReadOutside(task) ? .read : dropped ?? .unobserved
    }

    /// The better of two roles that joins gave an input.
    func better(_ one: FaultRole, _ other: FaultRole) -> FaultRole {
        one == .swallowed ? one : other
    }
}

extension TaskView {
    /// Whether the error of `source` has reached this task's body, which awaits it or has read it.
    ///
    /// A task that awaits a value is listed as a reader before there is an error. It has the error once it has run after the source's end.
    func hasReceivedError(of source: TaskView) -> Bool {
        guard !state.hasEnded else { return true }
        if waitsFor == source.id, inner != source.id { return false }
        guard let failed = source.ended else { return true }
        // The group of a parent hands it a child's error when the parent runs again.
        if source.structuredParent == id { return (lastRun ?? 0) >= failed }
        guard state == .queued, let lastSuspension else { return true }
        return lastSuspension >= failed
    }

    /// Whether it awaited the value of another task after that of `source`.
    func awaitedAnother(after source: TaskID) -> Bool {
        var last = TaskID.none
        var hasAwaited = false
        for task in awaited {
            last = task
            hasAwaited = hasAwaited || task == source
        }
        return hasAwaited && last != source
    }
}
