import TaskEvents
import TraceStore

/// The tasks whose bodies have read the error of another task.
///
/// The store keeps the readers of each failed task. This is the inverse relation.
package struct ErrorReaders: Sendable {
    private let tasks: Set<TaskID>

    /// Makes one pass over the store.
    package init(_ store: TraceStore) {
        var tasks: Set<TaskID> = []
        for row in store.rows where store[row].state == .faulted {
            let failed = store[row]
            for reader in failed.readers where !failed.isReadUnclear(by: reader) {
                if store.task(reader)?.hasReceivedError(of: failed) ?? true { tasks.insert(reader) }
            }
        }
        self.tasks = tasks
    }

    package func contains(_ task: TaskID) -> Bool {
        tasks.contains(task)
    }
}
