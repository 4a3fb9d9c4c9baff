import TaskEvents
import TraceStore

/// The positions of tasks in the executors' queues, and the tasks that hold the executors. Walks each queue once.
final class QueuePositions {
    private let store: TraceStore
    private var positions: [ExecutorID: [TaskID: Int]] = [:]
    private var holders: [ExecutorID: TaskID] = [:]

    init(_ store: TraceStore) {
        self.store = store
    }

    /// The task whose job has run on the executor for the longest time. `.none` if no task's job runs there.
    func holder(of executor: ExecutorID) -> TaskID {
        if let known = holders[executor] { return known }
        let holder = store.executor(executor)?.running.first?.task ?? .none
        holders[executor] = holder
        return holder
    }

    /// The position of a task in an executor's queue; the next job has position 1. Nil if the task is not in the queue.
    func position(of task: TaskID, on executor: ExecutorID) -> Int? {
        if let known = positions[executor] { return known[task] }
        var found: [TaskID: Int] = [:]
        if let queue = store.executor(executor)?.queue {
            for job in queue { found[job.task] = found.count + 1 }
        }
        positions[executor] = found
        return found[task]
    }
}
