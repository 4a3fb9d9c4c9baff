import TaskEvents
import TraceStore

/// How a task that is linked to a failed one stands to its error.
enum Taking: Equatable {
    /// It takes nothing of it: it was cancelled before its body began, or its body never looked at another's error.
    case nothing
    /// It is a join that ended without the error, which ends at the input: `swallowed` if the input had ended before, else `unobserved`.
    case dropped(FaultRole)
    /// It has not ended.
    case pending
    /// The error ends in it.
    case ended(FaultRole)
    /// It ended with the error, or with one that it made of it.
    case carried(FaultRole)

    /// Whether the path goes on to the task.
    var isTaken: Bool {
        switch self {
        case .nothing, .dropped: false
        case .pending, .ended, .carried: true
        }
    }

    /// The role of the task that takes it. Nil for one that has not ended, and for one that takes nothing.
    var role: FaultRole? {
        switch self {
        case .nothing, .dropped, .pending: nil
        case .ended(let role), .carried(let role): role
        }
    }
}

extension FaultAnalysis {
    /// How `task` stands to the error of `source`, which has failed.
    ///
    /// `hasRead`: whether the body of `task` read that error.
    func taking(of source: TaskView, by task: TaskView, hasRead: Bool) -> Taking {
        if task.id == source.id { return .nothing }
        if let role = roleCarrying(source, in: task) { return .carried(role) }
        if task.kind == .join { return takingByJoin(of: source, by: task) }
        if hasRead { return takingByReading(task) }
        let continues = task.continuedTask == source.id
        if !task.state.hasEnded, continues || task.inner == source.id { return .pending }
        return continues && task.hasBegun && !task.isSkipped ? .ended(.swallowed) : .nothing
    }

    /// The role of a task that failed because `source` did; nil for every other.
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

    /// Its body read the error, and it did not end with that one.
    private func takingByReading(_ task: TaskView) -> Taking {
        switch task.state {
        case .pending, .queued, .running, .suspended: .pending
        case .succeeded: .ended(.recovered)
        case .cancelled: .ended(.read)
        case .faulted: .carried(.transformed)
        }
    }

    /// Whether the task, which takes the error of `source` by `taking`, may have got it from another task on the path: it read this error, but
    /// ended with that of a task which had got it itself.
    func mayTakeElsewhere(_ task: TaskView, _ taking: Taking, from source: TaskID) -> Bool {
        guard taking == .carried(.transformed), task.faultSource != .none, task.faultSource != source else { return false }
        guard let other = store.task(task.faultSource), other.state == .faulted else { return false }
        return !isOrigin(other)
    }

    // MARK: Ends

    /// The role of a failed task at which its error's path ends; nil where something continues.
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

    /// The role of a failed task with which nothing continues; `dropped` is the best that joins which ended without the error made of it.
    func endRole(of task: TaskView, dropped: FaultRole?) -> FaultRole {
        isReadOutside(task) ? .read : dropped ?? .unobserved
    }

    /// The better of two roles that joins gave an input.
    func better(_ one: FaultRole, _ other: FaultRole) -> FaultRole {
        one == .swallowed ? one : other
    }
}
