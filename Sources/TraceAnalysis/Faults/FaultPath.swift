import TaskEvents
import TraceStore

/// One task that an error reached, or a place where that task threw the error again.
package struct FaultStep: Hashable, Sendable {
    package var task: TaskID
    /// The task's role on this path. Nil for a task that has not got the error yet, or of which it is unknown whether it read it.
    package var role: FaultRole?
    /// The task on the path from which the step's task got the error. `.none` for the origin. The step's own task if the task threw the
    /// error again.
    package var from: TaskID
    /// The number of the throw among all throws of the error that the step's task ended with. Nil if no throw is known for the step.
    package var thrown: Int?

    package init(task: TaskID, role: FaultRole?, from: TaskID = .none, thrown: Int? = nil) {
        self.task = task
        self.role = role
        self.from = from
        self.thrown = thrown
    }

    /// Whether the step is a further throw in the task of an earlier step.
    package var isAgain: Bool { from == task }

    /// The place of the throw, as `File.swift:12`; empty if unknown.
    package func site(in store: TraceStore) -> String {
        guard let thrown, let task = store.task(task) else { return "" }
        return store.entries.site(ofThrow: thrown, of: task.error)
    }
}

/// The path of one error: the task in which it began, and all tasks that it reached, transformed or not.
package struct FaultPath: Hashable, Sendable {
    package var origin: TaskID
    /// The error that the origin ended with.
    package var error: EntryID
    /// The origin, then each other task, after the task from which it got the error. Breadth first: takers of one task are sorted by the
    /// time at which they got the error, then by id. Each task has one step, followed by one for each place where it threw the error again.
    package var steps: [FaultStep]
    package var verdict: Verdict
    /// The reason why the verdict is `unknown`. Nil for every other verdict.
    package var blindness: Blindness?
    /// Whether the search stopped early. The verdict then covers only the steps found.
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
