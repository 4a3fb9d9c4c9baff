import TaskEvents
import TraceAnalysis
import TraceStore

/// A task's current wait in the JSON report.
struct ReportedWait: JSONFields {
    private let wait: WaitsFor
    private let executor: String?
    private let position: Int?
    private let place: String?

    init(_ wait: WaitsFor, of task: TaskID, in store: TraceStore, _ queues: QueuePlaces) {
        self.wait = wait
        executor = wait.executor == .none ? nil : store.description(of: wait.executor).name
        position = wait.kind == .executor ? queues.place(of: task, on: wait.executor) : nil
        place = wait.place(in: store)
    }

    func writeFields(to line: inout JSONLine) {
        line.field("executor", orNull: executor)
        line.field("kind", wait.kind.rawValue)
        line.field("position", orNull: position.map(UInt64.init))
        line.field("task", orNull: wait.task == .none ? nil : wait.task.rawValue)
        line.field("where", orNull: place)
    }
}

/// The positions of tasks in the executors' queues. Walks each queue once.
final class QueuePlaces {
    private let store: TraceStore
    private var places: [ExecutorID: [TaskID: Int]] = [:]

    init(_ store: TraceStore) {
        self.store = store
    }

    /// The position of a task in an executor's queue; the next job has position 1. Nil if the task is not in the queue.
    func place(of task: TaskID, on executor: ExecutorID) -> Int? {
        if let known = places[executor] { return known[task] }
        var found: [TaskID: Int] = [:]
        if let queue = store.executor(executor)?.queue {
            for job in queue { found[job.task] = found.count + 1 }
        }
        places[executor] = found
        return found[task]
    }
}
