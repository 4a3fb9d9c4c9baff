import TaskEvents
import TraceStore

extension WaitChain {
    /// The largest number of tasks looked at for the worst wait.
    private static let searchLimit = 100_000
    /// The largest number of waiting tasks that are examined for a deadlock.
    private static let ringLimit = 4096

    /// The task with the worst wait: a task of a deadlock's ring, else the task that has waited longest. Nil if no task waits.
    package static func worst(in store: TraceStore) -> Subject? {
        var graph = WaitGraph(store, now: store.now, patience: patience)
        var longest: (task: TaskID, since: UInt64)?
        var examined = 0
        for row in [store.rows, store.blockRows].joined().prefix(searchLimit) {
            let task = store[row]
            guard !task.state.hasEnded, let wait = WaitsFor(task, in: store) else { continue }
            examined += 1
            if examined <= ringLimit, let cycle = graph.cycle(from: task.id) { return .task(cycle[0].from) }
            guard wait.kind != .timer, let since = task.waitingSince, since < longest?.since ?? .max else { continue }
            longest = (task.id, since)
        }
        return longest.map { .task($0.task) }
    }
}

extension TaskView {
    /// The time at which the task's wait began, or at which it began to run. Nil if unknown.
    package var waitingSince: UInt64? {
        switch state {
        case .queued: queuedSince
        case .suspended: suspendedSince
        case .running: threadWait?.since ?? lastRun
        case .pending: created
        case .succeeded, .faulted, .cancelled: ended
        }
    }
}
