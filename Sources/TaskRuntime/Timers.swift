import Dispatch

/// The source of delays: the system's timers, or the virtual clock of a test.
package protocol TimerService: Sendable {
    /// Calls `action` once, on a thread of the service, after `duration`.
    func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> any ScheduledTimer
}

package protocol ScheduledTimer: Sendable {
    /// Prevents the call of the action if it has not begun.
    func cancel()
}

package enum Timers {
    /// The service for delays that are made in this Swift task or thread.
    @TaskLocal package static var current: any TimerService = system

    static var system: any TimerService { SystemTimers() }
}

/// Timers on the global queue, without leeway.
private struct SystemTimers: TimerService {
    func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> any ScheduledTimer {
        SystemTimer(after: duration, action)
    }
}

private final class SystemTimer: ScheduledTimer {
    // Dispatch sources are thread-safe but not marked `Sendable`.
    private nonisolated(unsafe) let source = DispatchSource.makeTimerSource(queue: .global())

    init(after duration: Duration, _ action: @escaping @Sendable () -> Void) {
        source.schedule(deadline: .now() + .nanoseconds(max(0, duration.nanoseconds)), leeway: .nanoseconds(0))
        source.setEventHandler { [self] in
            // A source retains its handler until it is cancelled, and this timer fires only once.
            cancel()
            action()
        }
        source.activate()
    }

    func cancel() {
        source.cancel()
    }
}
