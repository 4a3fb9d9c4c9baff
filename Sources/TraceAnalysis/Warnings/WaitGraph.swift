import TaskEvents
import TraceStore

/// What each task waits for, and which tasks wait for themselves.
///
/// A task is taken to be stuck only if everything that it waits for is: a join may need but one of its inputs, and a queue but one of its
/// executor's threads.
struct WaitGraph {
    /// Why one task waits for another.
    enum Reason {
        /// Its body returned the other.
        case returned
        /// Its body blocks on the other.
        case blocks
        /// It is a continuation or a join of the other.
        case continues
        /// It is in the queue of an executor all of whose threads block, the other's among them.
        case queued(ExecutorID)
    }

    struct Edge {
        var from: TaskID
        var to: TaskID
        var reason: Reason
    }

    private let scene: WarningScene
    /// How long a job must have waited for an executor whose threads all block: until then another thread may be on its way.
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

    /// A cycle that one of the tasks is in or waits for, as its edges from the task made first; nil if there is none.
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

    /// Finds all tasks that the task waits for, and which of them can go on. The others are stuck: each waits only for stuck tasks.
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

    /// What a task waits for; empty for one that can go on, or of which that is not known.
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

    /// The bodies on whose threads the job can run only when they have ended. Empty if one of the threads is free, or not known.
    private func blockersInQueue(of task: TaskView) -> [(task: TaskID, executor: ExecutorID)] {
        guard let queued = task.queued, task.executor != .none else { return [] }
        guard scene.jobs.blockedSince(task.executor) != nil, scene.elapsed(since: queued) > patience else { return [] }
        let jobs = scene.jobs.jobs(on: task.executor)
        let waiters = jobs.compactMap { scene.jobs.wait(on: $0.lane) }.map(\.waiter)
        guard waiters.count == jobs.count, !waiters.contains(.none) else { return [] }
        return waiters.map { ($0, task.executor) }
    }
}
