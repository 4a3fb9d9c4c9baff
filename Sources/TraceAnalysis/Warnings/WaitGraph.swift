import TaskEvents
import TraceStore

/// The wait relation between tasks, and the tasks that wait for themselves.
///
/// A task counts as stuck only if everything that it waits for is stuck: a join may need only one of its inputs, and a queue only one of
/// its executor's threads.
struct WaitGraph {
    /// The reason why one task waits for another.
    enum Reason {
        /// The first task's body returned the other task.
        case returned
        /// The first task's body blocks on the other task.
        case blocks
        /// The first task is a continuation or a join of the other task.
        case continues
        /// The first task is in the queue of an executor whose threads all block, one of them in the other task's body.
        case queued(ExecutorID)
    }

    struct Edge {
        var from: TaskID
        var to: TaskID
        var reason: Reason
    }

    private let store: TraceStore
    private let sight: TraceSight
    private let now: UInt64
    /// The time for which a job must have waited for an executor whose threads all block. Before that, another thread may be starting.
    private let patience: UInt64
    /// The largest number of tasks, and of a task's antecedents, that one search examines. A task beyond counts as one that can go on.
    private let limit: Int
    private var edges: [TaskID: [Edge]] = [:]
    private var free: Set<TaskID> = []

    init(_ store: TraceStore, now: UInt64, patience: UInt64, limit: Int = .max) {
        self.limit = limit
        self.store = store
        self.now = now
        self.patience = patience
        sight = TraceSight(store)
    }

    /// A cycle that the task is in or waits for, as edges that begin at the task created first. Nil if there is none.
    mutating func cycle(from start: TaskID) -> [Edge]? {
        guard let way = wayIntoCycle(from: start) else { return nil }
        let cycle = way.edges[way.cycle...]
        let first = cycle.indices.min { cycle[$0].from < cycle[$1].from }!
        return Array(cycle[first...] + cycle[..<first])
    }

    /// The edges from a task into a cycle and once around it. `cycle` is the index of the cycle's first edge. Nil if the task can go on.
    mutating func wayIntoCycle(from start: TaskID) -> (edges: [Edge], cycle: Int)? {
        explore(from: start)
        guard !free.contains(start) else { return nil }
        var way: [Edge] = []
        var positions: [TaskID: Int] = [:]
        var task = start
        while positions[task] == nil {
            positions[task] = way.count
            way.append(edges[task]![0])
            task = way.last!.to
        }
        return (way, positions[task]!)
    }

    /// Finds all tasks that the task waits for, and the ones among them that can go on. Each of the others is stuck: it waits only for
    /// stuck tasks.
    private mutating func explore(from start: TaskID) {
        guard edges[start] == nil, !free.contains(start) else { return }
        var found: [TaskID] = []
        var open = [start]
        var waiters: [TaskID: [TaskID]] = [:]
        var freed: [TaskID] = []
        while let task = open.popLast() {
            guard edges[task] == nil, !free.contains(task) else { continue }
            let out = found.count < limit ? blockers(of: task) : []
            found.append(task)
            edges[task] = out
            if out.isEmpty || out.contains(where: { free.contains($0.to) }) { freed.append(task) }
            for edge in out {
                waiters[edge.to, default: []].append(task)
                open.append(edge.to)
            }
        }
        while let task = freed.popLast() {
            guard free.insert(task).inserted else { continue }
            freed += waiters[task] ?? []
        }
        for task in found where free.contains(task) { edges[task] = nil }
    }

    /// The tasks that a task waits for. Empty for a task that can go on, or whose wait is unknown.
    private func blockers(of id: TaskID) -> [Edge] {
        guard let task = store.task(id), sight.isWhole(task) else { return [] }
        let edge = { (to: TaskID, reason: Reason) in Edge(from: id, to: to, reason: reason) }
        switch task.state {
        case .succeeded, .faulted, .cancelled: return []
        case .suspended: return task.waitsFor.map { [edge($0, .returned)] } ?? []
        case .running: return task.threadWait.map { [edge($0.task, .blocks)] } ?? []
        case .queued: return blockersInQueue(of: task).map { edge($0, .queued(task.queuedOn)) }
        case .pending:
            let all = Array(task.antecedents.prefix(limit))
            guard all.count < limit else { return [] }
            let antecedents = all.filter { store.task($0)?.state.hasEnded != true }
            let isWaiting = task.kind == .join || task.kind == .continuation && antecedents.first == task.firstAntecedent
            return isWaiting ? antecedents.map { edge($0, .continues) } : []
        }
    }

    /// The tasks whose bodies hold the executor's threads, so that the job can run only after they end. Empty if a thread is free, or if
    /// that is unknown. `default` has no threads of its own, and its running jobs include inline bodies.
    private func blockersInQueue(of task: TaskView) -> [TaskID] {
        guard let queued = task.queuedSince, now > queued, now - queued > patience, let executor = store.executor(task.queuedOn),
            executor.kind != .default
        else { return [] }
        let running = executor.running
        let waiters = running.compactMap { store.threadWait(onLane: $0.lane)?.waiter }
        return waiters.count == running.count && !waiters.contains(.none) ? waiters : []
    }
}
