/// Waits until the condition is true, without blocking a thread. The limit only ends a test that would hang: a passing test never
/// reaches it, however busy the machine is.
package func eventually(_ condition: () -> Bool) async -> Bool {
    let limit = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < limit {
        if condition() { return true }
        await Task.yield()
    }
    return condition()
}

/// The same on the calling thread.
package func eventuallyBlocking(_ condition: () -> Bool) -> Bool {
    let limit = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < limit {
        if condition() { return true }
    }
    return condition()
}
