import CTraceLanes

/// The clock of a bus's events, which the lanes read.
package enum EventClock: Sendable {
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
