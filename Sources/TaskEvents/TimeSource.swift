import Glibc

/// Reads the machine's clocks. No other Swift code does (`Scripts/check-clock.awk`): a command, or a call of the public API, makes one and
/// passes it to the parts that need the time.
package struct TimeSource: Sendable {
    private let read: @Sendable (clockid_t) -> UInt64

    package init() {
        read = { clock in
            var time = timespec()
            clock_gettime(clock, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }

    /// Nanoseconds since the system's start, which no clock that is set changes.
    package var now: UInt64 { read(CLOCK_MONOTONIC) }

    /// The same in seconds.
    package var seconds: Double { Double(now) / 1e9 }

    /// Nanoseconds since 1970.
    package var date: UInt64 { read(CLOCK_REALTIME) }

    /// Seconds since 1970.
    package var dateSeconds: Int { Int(date / 1_000_000_000) }

    /// Nanoseconds since this call, as a function.
    package func elapsed() -> @Sendable () -> UInt64 {
        let start = now
        return { now - start }
    }

    /// The moment in `nanoseconds` from now, for functions of the C library that wait until a moment.
    package static func moment(in nanoseconds: UInt64) -> timespec {
        let end = TimeSource().now + nanoseconds
        return timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    }
}
