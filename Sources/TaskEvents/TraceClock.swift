import CTraceLanes

/// The clock of a region: converts its ticks to nanoseconds from the trace's start. Any thread may use it.
package final class TraceClock: Sendable {
    private let clock: UInt32
    /// Whether this machine's counter still is the region's.
    private let isOfThisBoot: Bool
    private let counter: Guarded<CounterClock>

    /// The clock of the region with this header.
    ///
    /// - Parameter isOfThisBoot: whether the region was made since this machine's last start.
    package init(_ header: borrowing trace_header, isOfThisBoot: Bool = true) {
        clock = header.clock
        self.isOfThisBoot = isOfThisBoot
        let start = CounterClock.Anchor(ticks: header.start_ticks, monotonic: header.start_monotonic_ns)
        counter = Guarded(CounterClock(start: start, ticksPerSecond: header.ticks_per_second))
        anchor()
    }

    /// Reads the counter and the monotonic clock if that is due. A reader calls it again and again.
    package func anchor() {
        guard clock == TRACE_CLOCK_COUNTER.rawValue, isOfThisBoot else { return }
        let now = trace_clock_now(clock)
        counter.withLock { counter in
            guard now >= counter.due else { return }
            let pair = trace_clock_pair(clock)
            counter.add(CounterClock.Anchor(ticks: pair.ticks, monotonic: pair.monotonic_ns))
        }
    }

    package func nanoseconds(atTick tick: UInt64) -> UInt64 {
        counter.withLock { $0.nanoseconds(atTick: tick) }
    }

    /// Converts the times of events in memory from ticks.
    package func convert(_ events: UnsafeMutableBufferPointer<TaskEvent>, latestTick: UInt64 = .max, latestTime: UInt64 = .max) {
        counter.withLock { counter in
            for index in events.indices {
                events[index].record.time = min(counter.nanoseconds(atTick: min(events[index].record.time, latestTick)), latestTime)
            }
        }
    }
}
