import TaskEvents
import TraceStore

/// The part of a store's graph that a few tasks form, for rails of only these tasks.
///
/// Other tasks count as gone, so that ``Rails`` does not place a task's ancestors back to the beginning of a long chain. At most
/// `linkLimit` links of each kind are examined per task, so a hub with a million links costs a bounded number of reads.
package struct NearbyGraph: RailGraph {
    private let store: TraceStore
    private let tasks: Set<TaskID>
    private let linkLimit: Int

    package init(of tasks: some Sequence<TaskID>, in store: TraceStore, linkLimit: Int = 1024) {
        self.store = store
        self.tasks = Set(tasks)
        self.linkLimit = linkLimit
    }

    /// All blocks among the tasks count.
    package func hasTask(_ task: TaskID) -> Bool {
        tasks.contains(task) && (task.isBlock ? store.task(task) != nil : store.hasTask(task))
    }

    package func continued(by task: TaskID) -> TaskID? { store.continued(by: task) }
    package func chain(of task: TaskID) -> TaskID { store.chain(of: task) }
    package func isJoin(_ task: TaskID) -> Bool { store.isJoin(task) }
    package func inner(of task: TaskID) -> TaskID? { store.inner(of: task) }
    package func hasSucceeded(_ task: TaskID) -> Bool { store.hasSucceeded(task) }

    package func forEachInput(of id: TaskID, _ body: (TaskID) -> Void) {
        guard let task = store.task(id), task.kind == .join else { return }
        for input in task.antecedents.prefix(linkLimit) where tasks.contains(input) { body(input) }
    }

    package func forEachAwaited(by id: TaskID, _ body: (TaskID) -> Void) {
        guard let task = store.task(id) else { return }
        for awaited in task.awaited.prefix(linkLimit) where tasks.contains(awaited) { body(awaited) }
    }

    package func forEachSuccessor(of id: TaskID, _ body: (TaskID, RailKind) -> Void) {
        guard let task = store.task(id) else { return }
        for successor in task.successors.prefix(linkLimit) where tasks.contains(successor) {
            guard let view = store.task(successor) else { continue }
            if view.kind == .join {
                body(successor, .input)
            } else {
                if view.continued == id { body(successor, .continues) }
                if view.inner == id { body(successor, .inner) }
            }
        }
        for awaiter in task.awaiters.prefix(linkLimit) where hasTask(awaiter) { body(awaiter, .awaited) }
    }
}
