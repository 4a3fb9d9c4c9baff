import Foundation
import TaskEvents
import TaskRuntime

/// Receives a notification when a task starts and when it finishes. It can observe any number of tasks, on any thread.
///
/// A task starts when its conditions are satisfied: just before its body, on the body's thread. A task that never starts sends no
/// notification. The thread that finishes the task sends the finish notification, after it has released the waiting threads and never
/// before the start notification. (The original sends no finish of a task that is finished during its start.)
open class TaskObserver: @unchecked Sendable {
    // Mutable state is behind the lock.

    private struct Closures {
        var didStart: [@Sendable (any TaskType) -> Void] = []
        var didFinish: [@Sendable (any TaskType) -> Void] = []
    }

    private let closures = Guarded(Closures())

    /// An observer without closures.
    public init() {}

    /// Adds a closure for the start. Closures run in the order in which they were added.
    @discardableResult
    public final func didStart(_ closure: @escaping @Sendable (any TaskType) -> Void) -> Self {
        closures.withLock { $0.didStart.append(closure) }
        return self
    }

    /// Adds a closure for the finish. Closures run in the order in which they were added.
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

/// Cancels a task that is not finished within a time after its start. Waiting for conditions and for the queue does not count.
public final class TimeoutTaskObserver: TaskObserver, @unchecked Sendable {
    /// `timeout` is in seconds. As in the original, traps in debug builds if the task cannot be cancelled.
    public init(timeout: TimeInterval) {
        let timers = Timers.current
        super.init()
        didStart { task in
            assert(task is any FailableTaskType, "The timeout observer only works on failable tasks.")
            _ = timers.schedule(after: .seconds(timeout)) { [weak task] in
                (task as? any FailableTaskType)?.cancel()
            }
        }
    }
}
