import TaskEvents

/// Is told when tasks start and when they are finished. One may observe any number of tasks, from any thread.
///
/// A task starts when its conditions are satisfied, just before its body, on the body's thread; one that never gets there tells its
/// observers nothing, not that it is finished either. It is finished on the thread that finishes it, after those who wait for it were let
/// go; and never before it has started. (The original forgets to tell that of a task which is finished while it starts.)
open class TaskObserver: @unchecked Sendable {
    // All that changes is behind the lock.

    private struct Closures {
        var didStart: [@Sendable (any TaskType) -> Void] = []
        var didFinish: [@Sendable (any TaskType) -> Void] = []
    }

    private let closures = Guarded(Closures())

    public init() {}

    /// Adds a closure for the start, after those added before.
    @discardableResult
    public final func didStart(_ closure: @escaping @Sendable (any TaskType) -> Void) -> Self {
        closures.withLock { $0.didStart.append(closure) }
        return self
    }

    /// Adds a closure for the finish, after those added before.
    @discardableResult
    public final func didFinish(_ closure: @escaping @Sendable (any TaskType) -> Void) -> Self {
        closures.withLock { $0.didFinish.append(closure) }
        return self
    }

    final func taskDidStart(_ task: any TaskType) {
        for closure in closures.withLock({ $0.didStart }) { closure(task) }
    }

    final func taskDidFinish(_ task: any TaskType) {
        for closure in closures.withLock({ $0.didFinish }) { closure(task) }
    }
}
