import TaskEvents

/// One task that an error reached.
package struct FaultStep: Hashable, Sendable {
    package var task: TaskID
    /// What the task did with the error on this path. Nil for a task that has not got the error yet.
    package var role: FaultRole?
    /// The step's task that it got the error from; `.none` for the origin.
    package var from: TaskID

    package init(task: TaskID, role: FaultRole?, from: TaskID = .none) {
        self.task = task
        self.role = role
        self.from = from
    }
}

/// The path of one error, from the task in which it began through all tasks that it reached, transformed or not.
package struct FaultPath: Hashable, Sendable {
    package var origin: TaskID
    /// The error that the origin ended with.
    package var error: EntryID
    /// The origin, then each task once and after the one that it got the error from: breadth first, and among the takers of one task by the
    /// time at which they got it, then by id.
    package var steps: [FaultStep]
    package var verdict: Verdict
    /// Why the verdict is `unknown`; nil for every other verdict.
    package var blindness: Blindness?
    /// Whether the search was given up before its end; the verdict is that of the steps found.
    package var isPartial: Bool

    package init(
        origin: TaskID, error: EntryID, steps: [FaultStep], verdict: Verdict, blindness: Blindness? = nil, isPartial: Bool = false
    ) {
        self.origin = origin
        self.error = error
        self.steps = steps
        self.verdict = verdict
        self.blindness = blindness
        self.isPartial = isPartial
    }
}
