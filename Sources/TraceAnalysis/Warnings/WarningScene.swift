import TaskEvents
import TraceStore

/// What a pass over a trace's tasks is held in: the store, the time, what runs, and how far all of that can be relied on.
package final class WarningScene {
    package let store: TraceStore
    package let now: UInt64
    /// Whether nothing will come after it: then what has not happened never will.
    package let isOver: Bool
    package let jobs: ThreadJobs
    let faults: FaultAnalysis
    let hops: HopAnalysis
    /// When the latest loss of records was seen.
    private let lastLoss: UInt64?
    /// The events from here on were seen one by one.
    let seenFrom: UInt64
    private var latestPath: FaultPath?
    private var kinds: [ExecutorID: ExecutorKind] = [:]

    init(_ store: TraceStore, now: UInt64, isOver: Bool, jobs: ThreadJobs, lastLoss: UInt64?, seenFrom: UInt64) {
        self.store = store
        self.now = now
        self.isOver = isOver
        self.jobs = jobs
        self.lastLoss = lastLoss
        self.seenFrom = seenFrom
        faults = FaultAnalysis(store)
        hops = HopAnalysis(store)
    }

    /// Whether the trace has everything that ever happened to the task: what follows from an event's absence holds for no other.
    func isWhole(_ task: TaskView) -> Bool {
        guard let created = task.created, !task.isSynthesised else { return false }
        return lastLoss.map { created > $0 } ?? true
    }

    /// Whether the store has forgotten tasks, and with them who took what from those it keeps.
    var hasForgotten: Bool { store.evictedCount > 0 }

    func kind(of executor: ExecutorID) -> ExecutorKind? {
        if let kind = kinds[executor] { return kind }
        let kind = store.entries.executor(executor)?.kind
        kinds[executor] = kind
        return kind
    }

    /// The way of the error that began in `origin`, if nothing can be added to it any more: the trace is over, or nobody holds the tasks
    /// that failed. Nil where the trace may lack a part of it.
    func settledPath(from origin: TaskView) -> FaultPath? {
        guard isOver || origin.isReleased, !hasForgotten, isWhole(origin), faults.isOrigin(origin) else { return nil }
        if let latestPath, latestPath.origin == origin.id { return latestPath }
        latestPath = nil
        guard let path = faults.path(from: origin.id), path.steps.allSatisfy(isSettled) else { return nil }
        latestPath = path
        return path
    }

    private func isSettled(_ step: FaultStep) -> Bool {
        guard let task = store.task(step.task), isWhole(task) else { return false }
        return isOver || task.state != .faulted || task.isReleased
    }

    /// How long ago `time` is.
    func elapsed(since time: UInt64) -> UInt64 {
        now > time ? now - time : 0
    }
}
