import TaskEvents

/// The kind of a link between two tasks.
package enum RailKind: UInt8, CaseIterable, Sendable {
    /// From a task to its continuation.
    case continues
    /// From a task to a join that waits for it.
    case input
    /// From a task to the task whose body returned it.
    case inner
    /// From a task to another task that awaits its value.
    case awaited
}

/// A graph of tasks, such as the trace's store.
///
/// ``Rails`` keeps only the places of tasks, so the graph may change between calls; its owner then passes the changed tasks to ``Rails``.
package protocol RailGraph {
    /// Whether the graph still has the task. A dropped task is not drawn, and no rail leads to it.
    func hasTask(_ task: TaskID) -> Bool

    /// The task that this task continues. Nil for a task that begins a chain.
    func continued(by task: TaskID) -> TaskID?

    /// The first task of its chain. A task that begins a chain returns itself.
    func chain(of task: TaskID) -> TaskID

    /// Whether the task waits for several inputs.
    func isJoin(_ task: TaskID) -> Bool

    /// Calls `body` for each input of a join, in order. Other kinds of task have no inputs.
    func forEachInput(of task: TaskID, _ body: (TaskID) -> Void)

    /// Calls `body` for each task whose value the task awaits or has awaited, except tasks linked to it in another way.
    func forEachAwaited(by task: TaskID, _ body: (TaskID) -> Void)

    /// The task that the task's body returned.
    func inner(of task: TaskID) -> TaskID?

    func hasSucceeded(_ task: TaskID) -> Bool

    /// Calls `body` for every link that leaves the task.
    func forEachSuccessor(of task: TaskID, _ body: (TaskID, RailKind) -> Void)
}

/// A task whose row may have to change.
package struct RailChange: Hashable, Sendable {
    package var task: TaskID
    /// The antecedent of the link that was added; `.none` if any of the task's links may have changed.
    package var antecedent = TaskID.none
    /// Whether the task awaits the antecedent's value.
    package var isAwait = false

    package init(task: TaskID, antecedent: TaskID = .none, isAwait: Bool = false) {
        self.task = task
        self.antecedent = antecedent
        self.isAwait = isAwait
    }
}
