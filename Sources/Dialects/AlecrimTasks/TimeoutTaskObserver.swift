import Foundation
import TaskRuntime

/// Cancels a task that is not finished some time after its start. What it waited for before, its conditions and its queue, does not count.
public final class TimeoutTaskObserver: TaskObserver, @unchecked Sendable {
    /// In seconds. In debug builds the program ends where the task cannot be cancelled, as in the original.
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
