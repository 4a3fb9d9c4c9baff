import TaskEvents
import TraceStore

/// Derives who cancelled what, and what each task did then. Reads the store on each call and keeps nothing.
///
/// The cost is that of one pass over the given tasks. Like the store, it belongs to one thread.
package struct CancellationAnalysis {
    private let store: TraceStore

    package init(_ store: TraceStore) {
        self.store = store
    }

    /// The cancellations in the order of their times. Those that found all their tasks ended are left out.
    package func paths() -> [CancellationPath] {
        paths(of: store.rows.lazy.map { store[$0] })
    }

    /// The cancellations of these tasks, among which is every cancelled task of the store.
    package func paths(of tasks: some Sequence<TaskView>) -> [CancellationPath] {
        var requests: [(task: TaskView, request: RequestedCancellation)] = []
        var chained: [TaskView] = []
        for task in tasks {
            if let request = task.requestedCancellation {
                requests.append((task, request))
            } else if task.state == .cancelled, !task.kind.isOfSwift {
                chained.append(task)
            }
        }
        requests.sort { $0.request.order < $1.request.order }
        var walk = CancellationWalk(store)
        for (task, request) in requests { walk.add(task, request) }
        walk.add(chained: chained)
        let paths = walk.paths.filter { path in path.steps.contains { $0.notice != .tooLate } }
        return paths.sorted { ($0.at, $0.first) < ($1.at, $1.first) }
    }
}

/// Assigns each cancelled task to a cancellation.
private struct CancellationWalk {
    private let store: TraceStore
    private(set) var paths: [CancellationPath] = []
    /// By cancelled task, the index of its path.
    private var places: [TaskID: Int] = [:]
    /// By parent, the path of the latest cancellation of a whole group of it.
    private var groups: [TaskID: Int] = [:]

    init(_ store: TraceStore) {
        self.store = store
    }

    // MARK: Swift's tasks

    /// Adds the tasks in the order of their requests, so a parent comes before the children that have their cancellation from it.
    mutating func add(_ task: TaskView, _ request: RequestedCancellation) {
        let parent = task.structuredParent ?? .none
        let inherited = places[parent]
        let group = groups[parent]
        switch request.manner {
        case .inherited: add(task, request, from: parent, to: inherited)
        case .atCreation:
            // Both the group and the parent may have been cancelled: the earlier request counts.
            let isOfGroup = task.kind == .groupChild && group != nil && (inherited == nil || isEarlier(group, inherited))
            add(task, request, from: isOfGroup ? .none : parent, to: isOfGroup ? group : inherited)
        case .called, .scope, .unstated:
            let isOfGroup = task.kind == .groupChild && request.asker != task.id
            add(task, request, from: .none, to: isOfGroup ? group.flatMap { isOfSame($0, task, request) ? $0 : nil } : nil)
            if isOfGroup { groups[parent] = places[task.id] }
        }
    }

    private func isEarlier(_ one: Int?, _ other: Int?) -> Bool {
        guard let one, let other else { return false }
        return paths[one].at < paths[other].at
    }

    /// Whether the request is part of an earlier one: one call cancels all children that a group has then.
    private func isOfSame(_ index: Int, _ task: TaskView, _ request: RequestedCancellation) -> Bool {
        let path = paths[index]
        guard path.asker == request.asker, path.site == request.site, path.request == request.manner else { return false }
        return task.created.map { $0 <= path.at } ?? false
    }

    private mutating func add(_ task: TaskView, _ request: RequestedCancellation, from parent: TaskID, to index: Int?) {
        let step = CancellationPath.Step(
            task: task.id, from: index == nil ? .none : parent, at: request.at, notice: notice(of: task, request), ended: task.ended,
            calls: request.calls)
        guard let index else {
            places[task.id] = paths.count
            let isCall = request.manner == .called || request.manner == .scope || request.manner == .unstated
            paths.append(
                CancellationPath(
                    asker: isCall ? request.asker : .none, request: request.manner, site: request.site, at: request.at, steps: [step]))
            return
        }
        places[task.id] = index
        paths[index].steps.append(step)
    }

    private func notice(of task: TaskView, _ request: RequestedCancellation) -> CancellationPath.Notice {
        if let ended = task.ended, ended < request.at { return .tooLate }
        if let seen = request.seen { return .looked(seen) }
        if task.state == .cancelled { return .ended }
        if !store.entries.cancellationHandlers(in: request.calls).isEmpty { return .handled }
        let isUnseen = store.isSampled || !store.swiftRoutes.isSuperset(of: [.looks, .ends]) || task.isTouchedByLoss
        return isUnseen ? .unknown : .none
    }

    // MARK: Chains

    /// Adds the cancelled tasks of chains. A cancellation goes from a task to its continuations, which end as it does.
    mutating func add(chained tasks: [TaskView]) {
        let sorted = tasks.sorted { ($0.ended ?? 0, $0.id) < ($1.ended ?? 0, $1.id) }
        // Tasks that end at the same time can stand in any order.
        var open = sorted[...]
        var waiting: [TaskID: [TaskView]] = [:]
        let cancelled = Set(sorted.map(\.id))
        while let task = open.popFirst() {
            let from = task.cancellation == .forwarded ? task.cancelledBy : .none
            if from != .none, cancelled.contains(from), places[from] == nil {
                waiting[from, default: []].append(task)
                continue
            }
            var ready = [task]
            while let task = ready.popLast() {
                add(chained: task)
                ready += (waiting.removeValue(forKey: task.id) ?? []).reversed()
            }
        }
    }

    private mutating func add(chained task: TaskView) {
        let isForwarded = task.cancellation == .forwarded
        let from = isForwarded ? task.cancelledBy : .none
        let index = places[from]
        let at = task.ended ?? 0
        let step = CancellationPath.Step(
            task: task.id, from: index == nil ? .none : from, at: at, notice: .ended, ended: task.ended, calls: .none)
        places[task.id] = index ?? paths.count
        guard let index else {
            let asker = isForwarded ? .none : task.cancellation == .thrown ? task.id : task.cancelledBy
            paths.append(CancellationPath(asker: asker, request: nil, site: .none, at: at, steps: [step]))
            return
        }
        paths[index].steps.append(step)
    }
}
