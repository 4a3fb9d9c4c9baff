import TaskEvents

/// A thread that blocks until a task has ended, or in a call of another kind.
package struct ThreadWait: Hashable, Sendable {
    /// The awaited task; `.none` if the thread waits for something other than a task.
    package var task: TaskID
    /// The task whose body blocks; `.none` outside every body.
    package var waiter: TaskID
    package var since: UInt64
    /// The label with the calls on the thread's stack; `.none` if the trace has no calls.
    package var calls: EntryID
}
