import Synchronization
import TaskRuntime

/// Waits for a number of calls or tasks without leaving events in the trace.
final class Countdown: Sendable {
    private let remaining: Atomic<Int>
    private let done: @Sendable () -> Void

    init(from count: Int, then done: @escaping @Sendable () -> Void) {
        remaining = Atomic(count)
        self.done = done
    }

    func countDown() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
    }

    static func wait(for tasks: [AnyChainTask], then done: @escaping @Sendable () -> Void) {
        let countdown = Countdown(from: tasks.count + 1, then: done)
        for task in tasks {
            task.onEnd { countdown.countDown() }
        }
        countdown.countDown()
    }
}
