import TaskEvents
import TraceStore

/// The tasks whose bodies have read the error of some task: what the store keeps with the errors, the other way round.
package struct ErrorReaders: Sendable {
    private let tasks: Set<TaskID>

    /// One pass over the store.
    package init(_ store: TraceStore) {
        var tasks: Set<TaskID> = []
        for row in store.rows where store[row].state == .faulted {
            tasks.formUnion(store[row].readers)
        }
        self.tasks = tasks
    }

    package func contains(_ task: TaskID) -> Bool {
        tasks.contains(task)
    }
}
