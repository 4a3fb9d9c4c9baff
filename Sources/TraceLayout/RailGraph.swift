import TaskEvents

/// How one task leads to another.
package enum RailKind: UInt8, CaseIterable, Sendable {
    /// From a task to its continuation.
    case continues
    /// From a task to a join that waits for it.
    case input
    /// From the task that a body returned to the one whose body that was.
    case inner
    /// From a task to one that awaits its value.
    case awaited
}

/// A graph of tasks as the rails ask it; the trace's store is one.
///
/// Nothing is remembered of an answer but a task's place, so a graph may change between two calls of ``Rails``, and says which tasks
/// changed.
package protocol RailGraph {
    /// Whether the graph still has the task. One that it has not is drawn no more, and no rail leads to it.
    func hasTask(_ task: TaskID) -> Bool

    /// The task whose continuation this is; nil for a task that begins a chain.
    func continued(by task: TaskID) -> TaskID?

    /// The first task of its chain; the task itself if it begins one.
    func chain(of task: TaskID) -> TaskID

    /// Whether the task waits for several inputs.
    func isJoin(_ task: TaskID) -> Bool

    /// A join's inputs in order; nothing for other kinds.
    func forEachInput(of task: TaskID, _ body: (TaskID) -> Void)

    /// The tasks whose values a task awaits or has awaited, where nothing else leads from them to it.
    func forEachAwaited(by task: TaskID, _ body: (TaskID) -> Void)

    /// The task that its body returned.
    func inner(of task: TaskID) -> TaskID?

    /// Whether it has ended, and well.
    func hasSucceeded(_ task: TaskID) -> Bool

    /// Every task that this one leads to, with how.
    func forEachSuccessor(of task: TaskID, _ body: (TaskID, RailKind) -> Void)
}
