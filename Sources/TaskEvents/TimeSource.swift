import CTraceLanes

/// The source of a bus's time. No other code in the project reads a clock; callers pass `now` instead.
package enum TimeSource: Sendable {
    /// The processor's counter if its rate is constant, else the monotonic clock.
    case fastest
    case monotonic
    /// Stands still until ``EventBus/setTime(nanoseconds:)`` moves it.
    case virtual

    var clock: trace_clock {
        switch self {
        case .fastest: TRACE_CLOCK_FASTEST
        case .monotonic: TRACE_CLOCK_MONOTONIC
        case .virtual: TRACE_CLOCK_VIRTUAL
        }
    }
}
