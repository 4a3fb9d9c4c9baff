// The result's type decides between the two forms with a closure, as in the original.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

// Waiting for a task. All of these block the calling thread, as in the original, which the trace shows; a body that waits keeps its thread.
// On the main queue they end the program in debug builds, also where the task has ended.
//
// Swift took the word for its own since: `await(task)` as a call is refused in a synchronous function, and in an asynchronous one means
// something else. Written in backticks it is this function.

/// The value of a task, when it has ended. Its error is thrown, and so read.
@available(*, noasync, message: "it blocks the thread; await the value of the task's chainTask instead")
public func `await`<V>(_ task: Task<V>) throws -> V {
    task.waitForCompletion()
    return try task.get()
}

/// The value of the task that `closure` returns.
@available(*, noasync, message: "it blocks the thread; await the value of the task's chainTask instead")
public func `await`<V>(_ closure: () -> Task<V>) throws -> V {
    try `await`(closure())
}

/// The value of a task, when it has ended.
@available(*, noasync, message: "it blocks the thread; await the value of the task's chainTask instead")
public func `await`<V>(_ task: NonFailableTask<V>) -> V {
    task.waitForCompletion()
    return task.get()
}

/// The value of the task that `closure` returns.
@available(*, noasync, message: "it blocks the thread; await the value of the task's chainTask instead")
public func `await`<V>(_ closure: () -> NonFailableTask<V>) -> V {
    `await`(closure())
}
