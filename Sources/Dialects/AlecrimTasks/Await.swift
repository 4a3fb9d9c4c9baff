// The result's type selects between the two forms with a closure, as in the original.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

// These functions block the calling thread until the task has ended, as in the original. On the main queue they trap in debug builds, even
// if the task has ended.
//
// `await` has since become a keyword of Swift, so calls of these functions need backticks.

/// Waits for a task and returns its value. Throws its error, which counts as read.
@available(*, noasync, message: "it blocks the thread; await the value of the task's chainTask instead")
public func `await`<V>(_ task: Task<V>) throws -> V {
    task.waitForCompletion()
    return try task.get()
}

/// Waits for the task that `closure` returns. Throws the task's error.
@available(*, noasync, message: "it blocks the thread; await the value of the task's chainTask instead")
public func `await`<V>(_ closure: () -> Task<V>) throws -> V {
    try `await`(closure())
}

/// Waits for a task and returns its value.
@available(*, noasync, message: "it blocks the thread; await the value of the task's chainTask instead")
public func `await`<V>(_ task: NonFailableTask<V>) -> V {
    task.waitForCompletion()
    return task.get()
}

/// Waits for the task that `closure` returns.
@available(*, noasync, message: "it blocks the thread; await the value of the task's chainTask instead")
public func `await`<V>(_ closure: () -> NonFailableTask<V>) -> V {
    `await`(closure())
}
