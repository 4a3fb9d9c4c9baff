import Dispatch

/// Where delays come from: the system's timers, or those of a test that moves the time itself.
package protocol TimerService: Sendable {
    /// Calls `action` once, on a thread of the service's, when `duration` has passed.
    func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> any ScheduledTimer
}

package protocol ScheduledTimer: Sendable {
    /// Keeps the action from being called, if it has not begun.
    func cancel()
}

package enum Timers {
    /// The service that delays made in this Swift task or thread use.
    @TaskLocal package static var current: any TimerService = SystemTimers()
}

/// Timers of the global queue, without leeway.
private struct SystemTimers: TimerService {
    func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> any ScheduledTimer {
        SystemTimer(after: duration, action)
    }
}

private final class SystemTimer: ScheduledTimer {
    // Dispatch sources may be used from any thread, and do not say so in Swift.
    private nonisolated(unsafe) let source = DispatchSource.makeTimerSource(queue: .global())

    init(after duration: Duration, _ action: @escaping @Sendable () -> Void) {
        source.schedule(deadline: .now() + .nanoseconds(max(0, duration.nanoseconds)), leeway: .nanoseconds(0))
        source.setEventHandler { [self] in
            // A source keeps its handler until it is cancelled; this one has done its work.
            cancel()
            action()
        }
        source.activate()
    }

    func cancel() {
        source.cancel()
    }
}
