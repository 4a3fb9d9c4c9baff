import TaskEvents
import TraceStore

/// What rules look at: the store, what runs, the time, and how far all of that can be relied on. They report to it.
package final class WarningScene {
    package let store: TraceStore
    /// The time of the event that is seen; while nothing is seen, the trace's.
    package internal(set) var now: UInt64
    /// Whether nothing will come after it: then what has not happened never will.
    package internal(set) var isOver = false
    package internal(set) var jobs = ThreadJobs()
    let faults: FaultAnalysis
    let hops: HopAnalysis
    /// When the latest loss of records was seen.
    var lastLoss: UInt64?
    /// What was reported since somebody took it.
    var reported: [Finding] = []
    /// Paths of errors, for all rules that ask between two batches of events.
    private var paths: [TaskID: FaultPath] = [:]
    private var kinds: [ExecutorKind?] = []

    init(_ store: TraceStore) {
        self.store = store
        now = store.now
        faults = FaultAnalysis(store)
        hops = HopAnalysis(store)
    }

    /// The finding stands for good.
    func report(_ finding: Finding) {
        reported.append(finding)
    }

    /// How long ago `time` is.
    func elapsed(since time: UInt64) -> UInt64 {
        now > time ? now - time : 0
    }

    /// Whether the trace has everything that ever happened to the task: what follows from an event's absence holds for no other.
    func isWhole(_ task: TaskView) -> Bool {
        guard let created = task.created, !task.isSynthesised else { return false }
        return lastLoss.map { created > $0 } ?? true
    }

    func kind(of executor: ExecutorID) -> ExecutorKind? {
        let index = Int(executor.rawValue)
        if index < kinds.count, let kind = kinds[index] { return kind }
        guard let kind = store.entries.executor(executor)?.kind else { return nil }
        while kinds.count <= index { kinds.append(nil) }
        kinds[index] = kind
        return kind
    }

    /// The way of the error that began in `origin`, as the store has it now.
    func path(from origin: TaskID) -> FaultPath? {
        if let path = paths[origin] { return path }
        let path = faults.path(from: origin)
        paths[origin] = path
        return path
    }

    /// The store has changed.
    func forgetPaths() {
        if !paths.isEmpty { paths.removeAll(keepingCapacity: true) }
    }
}
