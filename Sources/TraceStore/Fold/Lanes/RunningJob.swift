import TaskEvents

/// A running job or inline body.
package struct RunningJob: Hashable, Sendable {
    /// `.none` for a closure that belongs to no task.
    package var task: TaskID
    package var since: UInt64
    /// The lane of its thread.
    package var lane: Int
    /// The name and the call site of a closure; `.none` for a task's job, and if unknown.
    package var label = EntryID.none

    package init(task: TaskID, since: UInt64, lane: Int, label: EntryID = .none) {
        (self.task, self.since, self.lane, self.label) = (task, since, lane, label)
    }
}
