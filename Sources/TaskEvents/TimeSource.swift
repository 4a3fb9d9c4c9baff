import CTraceLanes

/// Where a bus's time comes from. Nothing else in the project asks for the time; everybody else is handed `now`.
package enum TimeSource: Sendable {
    /// The processor's counter where it runs at one rate, else the monotonic clock.
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
