import TaskEvents
import TraceStore

/// The wait relation between tasks, and the tasks that wait for themselves.
///
/// A task counts as stuck only if everything that it waits for is stuck: a join may need only one of its inputs, and a queue only one of
/// its executor's threads.
struct WaitGraph {
    /// Why one task waits for another.
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

    private let scene: WarningScene
    /// The time for which a job must have waited for an executor whose threads all block. Before that, another thread may be starting.
    private let patience: UInt64
    private let waits: [TaskID: ThreadJobs.Wait]
    private var edges: [TaskID: [Edge]] = [:]
    private var free: Set<TaskID> = []

    init(_ scene: WarningScene, patience: UInt64) {
        self.scene = scene
        self.patience = patience
        let bodies = scene.jobs.waits.filter { $0.waiter != .none }.map { ($0.waiter, $0) }
        waits = Dictionary(bodies, uniquingKeysWith: { _, last in last })
    }

    /// A cycle that the task is in or waits for, as edges that begin at the task created first. Nil if there is none.
    mutating func cycle(from start: TaskID) -> [Edge]? {
        explore(from: start)
        guard !free.contains(start) else { return nil }
        var seen: Set<TaskID> = []
        var task = start
        while seen.insert(task).inserted { task = edges[task]![0].to }
        var cycle: [Edge] = []
        repeat {
            cycle.append(edges[task]![0])
            task = cycle.last!.to
        } while task != cycle[0].from
        let first = cycle.indices.min { cycle[$0].from < cycle[$1].from }!
        return Array(cycle[first...] + cycle[..<first])
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
            let out = blockers(of: task)
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
        guard let task = scene.store.task(id), scene.isWhole(task) else { return [] }
        let edge = { (to: TaskID, reason: Reason) in Edge(from: id, to: to, reason: reason) }
        switch task.state {
        case .succeeded, .faulted, .cancelled: return []
        case .suspended: return task.waitsFor.map { [edge($0, .returned)] } ?? []
        case .running: return waits[id].map { [edge($0.task, .blocks)] } ?? []
        case .queued: return blockersInQueue(of: task).map { edge($0.task, .queued($0.executor)) }
        case .pending:
            let antecedents = task.antecedents.filter { scene.store.task($0)?.state.hasEnded != true }
            let isWaiting = task.kind == .join || task.kind == .continuation && antecedents.first == task.firstAntecedent
            return isWaiting ? antecedents.map { edge($0, .continues) } : []
        }
    }

    /// The tasks whose bodies hold the executor's threads, so that the job can run only after they end. Empty if a thread is free, or if
    /// that is unknown.
    private func blockersInQueue(of task: TaskView) -> [(task: TaskID, executor: ExecutorID)] {
        guard let queued = task.queued, task.executor != .none else { return [] }
        guard scene.jobs.blockedSince(task.executor) != nil, scene.elapsed(since: queued) > patience else { return [] }
        let jobs = scene.jobs.jobs(on: task.executor)
        let waiters = jobs.compactMap { scene.jobs.wait(on: $0.lane) }.map(\.waiter)
        guard waiters.count == jobs.count, !waiters.contains(.none) else { return [] }
        return waiters.map { ($0, task.executor) }
    }
}
