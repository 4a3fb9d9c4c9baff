import TaskEvents

/// Waits until the condition is true, without blocking a thread. The limit only ends a test that would hang: a passing test never
/// reaches it, however busy the machine is.
package func eventually(_ condition: () -> Bool) async -> Bool {
    let waited = TimeSource().elapsed()
    while waited() < 60_000_000_000 {
        if condition() { return true }
        await Task.yield()
    }
    return condition()
}

/// The same on the calling thread.
package func eventuallyBlocking(_ condition: () -> Bool) -> Bool {
    let waited = TimeSource().elapsed()
    while waited() < 60_000_000_000 {
        if condition() { return true }
    }
    return condition()
}
