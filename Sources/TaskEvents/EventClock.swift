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

/// Converts ticks to nanoseconds with one multiplication.
package struct TickScale {
    /// Nanoseconds per tick, times 2^32.
    let factor: UInt64

    /// - Parameter ticksPerSecond: greater than 0.
    package init(ticksPerSecond: UInt64) {
        factor = ticksPerSecond.dividingFullWidth(UInt64(1_000_000_000).multipliedFullWidth(by: 1 << 32)).quotient
    }

    package func nanoseconds(ticks: UInt64) -> UInt64 {
        let product = ticks.multipliedFullWidth(by: factor)
        return product.high << 32 | product.low >> 32
    }
}
