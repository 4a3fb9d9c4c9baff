import TaskEvents
import TraceAnalysis
import TraceStore

/// The facts about one task of a program, in the plainest form.
package struct TaskTruth: Sendable {
    package var id: TaskID
    package var kind: TaskKind
    package var continues: TaskID?
    package var inputs: [TaskID] = []
    package var inner: TaskID?
    package var state = TaskState.pending
    package var manner = FaultManner.thrown
    package var source = TaskID.none
    package var reads: Set<TaskID> = []
    package var hasBegun = false
    package var isReadOutside = false
    package var ended: UInt64 = 0

    package init(id: TaskID, kind: TaskKind, continues: TaskID? = nil, inputs: [TaskID] = []) {
        (self.id, self.kind, self.continues, self.inputs) = (id, kind, continues, inputs)
    }
}

/// The design's definition of roles and faults, written literally: it goes through the tasks until nothing changes. It is slow, and plain
/// enough to be checked by reading.
package struct FaultDefinition: Sendable {
    package let tasks: [TaskTruth]
    /// Whether the program has ended. Then no task takes an error any more.
    package let isOver: Bool
    private let indices: [TaskID: Int]

    package init(tasks: [TaskTruth], isOver: Bool = false) {
        self.tasks = tasks
        self.isOver = isOver
        indices = Dictionary(uniqueKeysWithValues: tasks.enumerated().map { ($1.id, $0) })
    }

    /// A task's role towards an error that the tasks in `carriers` ended with; nil if it takes none of it.
    package enum Part: Equatable {
        case pending
        case role(FaultRole)

        package var role: FaultRole? {
            switch self {
            case .pending: nil
            case .role(let role): role
            }
        }
    }

    package func truth(_ task: TaskID) -> TaskTruth { tasks[indices[task]!] }

    package func part(of task: TaskTruth, in carriers: Set<TaskID>) -> Part? {
        if task.state == .faulted {
            if carriers.contains(task.source) { return .role(task.manner == .forwarded ? .forwarded : .transformed) }
            let isAggregate = task.kind == .join && task.manner == .transformed
            if isAggregate, !carriers.isDisjoint(with: task.inputs) { return .role(.transformed) }
        }
        if task.kind == .join { return !task.state.hasEnded && !carriers.isDisjoint(with: task.inputs) ? .pending : nil }
        if !carriers.isDisjoint(with: task.reads) {
            switch task.state {
            case .succeeded: return .role(.recovered)
            case .cancelled: return .role(.read)
            case .faulted: return .role(.transformed)
            // A task that continues no other task reads the error from outside a continuation. Such a read is an end at once.
            case .pending, .queued, .running, .suspended: return isOver || task.kind == .root ? .role(.read) : .pending
            }
        }
        let continues = task.continues.map(carriers.contains) ?? false
        let awaits = task.inner.map(carriers.contains) ?? false
        if !task.state.hasEnded { return continues || awaits ? .pending : nil }
        return continues && task.hasBegun ? .role(.swallowed) : nil
    }

    package func isOrigin(_ task: TaskTruth) -> Bool {
        task.state == .faulted && (task.manner == .thrown || task.manner == .injected)
    }

    /// The role of a failed task that no task continues. Nil if a task continues it.
    package func end(at task: TaskTruth) -> FaultRole? {
        if tasks.contains(where: { $0.id != task.id && part(of: $0, in: [task.id]) != nil }) { return nil }
        if task.isReadOutside { return .read }
        return isDropped(task) ? .swallowed : .unobserved
    }

    /// Whether a join ended without the error, after it.
    func isDropped(_ task: TaskTruth) -> Bool {
        tasks.contains { join in
            join.kind == .join && join.inputs.contains(task.id) && join.state.hasEnded && part(of: join, in: [task.id]) == nil
                && task.ended <= join.ended
        }
    }

    package func role(of task: TaskTruth) -> FaultRole? {
        switch task.state {
        case .pending, .queued, .running, .suspended: return (isOver || task.kind == .root) && !task.reads.isEmpty ? .read : nil
        case .faulted:
            switch task.manner {
            case .thrown: return .thrown
            case .injected: return .injected
            case .forwarded: return end(at: task) ?? .forwarded
            case .transformed: return end(at: task) ?? .transformed
            }
        case .succeeded, .cancelled:
            if !task.hasBegun { return nil }
            if !task.reads.isEmpty { return task.state == .succeeded ? .recovered : .read }
            let antecedent = task.continues.map(truth)
            return antecedent?.state == .faulted ? .swallowed : nil
        }
    }

    package func fault(from origin: TaskTruth) -> (roles: [TaskID: FaultRole?], verdict: Verdict) {
        var parts: [TaskID: Part] = [origin.id: .role(origin.manner == .injected ? .injected : .thrown)]
        while true {
            let carriers = Set(parts.filter { isCarrier($0.value, isOrigin: $0.key == origin.id) }.keys)
            var next = parts
            for task in tasks where task.id != origin.id {
                if let part = part(of: task, in: carriers) { next[task.id] = part }
            }
            if next == parts { break }
            parts = next
        }
        var roles = parts.mapValues(\.role)
        var ends: [Verdict] = []
        for (id, part) in parts where isCarrier(part, isOrigin: id == origin.id) {
            if let end = end(at: truth(id)) {
                if id != origin.id { roles[id] = end }
                ends.append(end == .read ? .read : end == .swallowed ? .swallowed : .unobserved)
            } else {
                if truth(id).isReadOutside { ends.append(.read) }
                if isDropped(truth(id)) { ends.append(.swallowed) }
            }
        }
        for part in parts.values {
            switch part {
            case .pending: ends.append(isOver ? .unobserved : .pending)
            case .role(.recovered): ends.append(.recovered)
            case .role(.read): ends.append(.read)
            case .role(.swallowed): ends.append(.swallowed)
            case .role: break
            }
        }
        return (roles, ends.min() ?? .unobserved)
    }

    private func isCarrier(_ part: Part, isOrigin: Bool) -> Bool {
        isOrigin || part == .role(.forwarded) || part == .role(.transformed)
    }
}
