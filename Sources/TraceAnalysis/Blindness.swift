import TaskEvents
import TraceStore

/// The reason why a trace cannot show something.
package enum Blindness: Hashable, Sendable {
    /// The trace lacks these routes of observation.
    case routes(TraceRoutes)
    /// This many records were lost, and the event may be among them.
    case lost(records: UInt64)
    /// The store had already dropped this many early events when the rules asked for them.
    case missed(events: Int)
    /// The store has dropped this many ended tasks.
    case evicted(tasks: Int)
    /// The trace's first record of the task comes after the task's creation.
    case seenLate(TaskID)
    /// The store no longer keeps the task.
    case forgotten(TaskID)
    /// The store no longer keeps a task that continued this one.
    case forgottenSuccessor(TaskID)
    /// The parent of this child in a group may have read its error.
    case group(TaskID)
    /// The scope of this `async let` may have read its error.
    case scope(TaskID)
    /// The task that took the error, then threw one of its own, may have handled the first one before.
    case replacement(TaskID)
    /// The trace ends before the program, or may.
    case cut

    /// The reason as a clause, without a full stop: `the trace does not show which task reads a value`.
    package var reason: String {
        switch self {
        case .routes(let routes): "the trace does not show \(routes.subjects.joined(separator: ", "))"
        case .lost(let records): "\(CountText.text(records, "record")) \(records == 1 ? "was" : "were") lost"
        case .missed(let events): "\(CountText.text(events, "early event")) \(events == 1 ? "was" : "were") no longer kept"
        case .evicted(let tasks): "\(CountText.text(tasks, "ended task")) \(tasks == 1 ? "is" : "are") no longer kept"
        case .seenLate(let task): "\(task.words) was first seen after its creation"
        case .forgotten(let task): "\(task.words) is no longer kept"
        case .forgottenSuccessor(let task): "a task that continued \(task.words) is no longer kept"
        case .group(let task):
            "the trace does not show whether the group's task looked at the error of its child (\(task.words))"
        case .replacement(let task):
            "the trace does not show whether \(task.words), which then threw an error of its own, had handled it"
        case .cut: "the trace does not show the program's end"
        case .scope(let task): "the trace does not show whether the scope of the async let (\(task.words)) read its value"
        }
    }
}

/// The routes of observation that a trace has, and the times at which it lost records.
///
/// A fact that rests on the absence of an event holds only where the trace would have recorded the event.
package struct TraceSight: Sendable {
    /// The routes that a fault's verdict rests on. Without one of them, a read can happen unseen.
    package static let routesOfReads: TraceRoutes = [.created, .slices, .waits, .ends, .read]

    private let swiftRoutes: TraceRoutes
    let lostCount: UInt64
    let lastLoss: UInt64?

    package init(_ store: TraceStore) {
        swiftRoutes = store.swiftRoutes
        lostCount = store.lostCount
        lastLoss = store.lastLoss
    }

    /// The routes among `needed` that the trace lacks for tasks of this kind.
    func missing(_ needed: TraceRoutes, for kind: TaskKind) -> TraceRoutes {
        kind.isOfSwift ? needed.subtracting(swiftRoutes) : TraceRoutes()
    }

    /// Whether the trace has every event of the task that its routes can record.
    func isWhole(_ task: TaskView) -> Bool { task.isWhole(lastLoss: lastLoss) }

    /// Whether the trace would record each read of the task's error, and each read by the task.
    func showsReads(of task: TaskView) -> Bool {
        isWhole(task) && missing(Self.routesOfReads, for: task.kind).isEmpty
    }

    /// The reason why the trace may lack a read of the error that passed along this path. Nil if it has all reads.
    ///
    /// - Parameter unclear: a child on the path whose parent may have read its error.
    func blindness(to path: [TaskID], unclear: TaskID?, in store: TraceStore) -> Blindness? {
        for id in path {
            guard let task = store.task(id) else { return .forgotten(id) }
            let missing = missing(Self.routesOfReads, for: task.kind)
            guard missing.isEmpty else { return .routes(missing) }
            if task.lacksSuccessor { return .forgottenSuccessor(id) }
            guard !isWhole(task) else { continue }
            return lastLoss == nil ? .seenLate(id) : .lost(records: lostCount)
        }
        if let unclear { return store.task(unclear)?.kind == .groupChild ? .group(unclear) : .scope(unclear) }
        guard path.count == 1, let origin = store.task(path[0]), origin.kind == .asyncLet, origin.scopeEnd != .left else {
            return nil
        }
        return .scope(origin.id)
    }
}

extension TaskView {
    /// Whether the trace has every event of the task that its routes can record, where `lastLoss` is the time of the latest loss of records.
    func isWhole(lastLoss: UInt64?) -> Bool {
        guard let created, !isSynthesised else { return false }
        return lastLoss.map { created > $0 } ?? true
    }
}

extension TraceRoutes {
    /// The facts that a trace without these routes cannot show, one clause each: `which task reads a value`.
    package var subjects: [String] {
        Self.named.filter { contains($0.route) }.map { $0.route.subject ?? $0.name }
    }

    private var subject: String? {
        switch self {
        case .created: "the creation of tasks"
        case .names: "names given to tasks"
        case .queues: "when tasks enter queues, and which"
        case .slices: "when tasks run"
        case .waits: "why tasks suspend"
        case .hops: "hops onto free actors"
        case .ends: "how tasks end"
        case .thrown: "where errors are thrown"
        case .read: "which task reads a value"
        case .released: "the release of failed tasks"
        case .cancellation: "some cancellations"
        case .continuations: "continuations that are never resumed"
        case .blocking: "calls that block a thread"
        case .blocks: "blocks given to Dispatch and run loops"
        case .looks: "looks at a cancellation"
        case .children: "when the results of a group's children are taken"
        default: nil
        }
    }
}
