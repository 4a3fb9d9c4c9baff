import CTraceLanes

/// The clock of a trace as its reader knows it: it converts the ticks of records to nanoseconds from the trace's start.
///
/// If the ticks are those of this machine's counter, the reader takes anchors itself whenever one is due, also while the program is blocked
/// or stopped. The program does nothing for it. Every method may be called from any thread.
package final class TraceClock: Sendable {
    private let times: Guarded<TickTimes>
    /// Whether anchors of this moment belong to the trace.
    private let takesAnchors: Bool
    /// The time of the trace's start on the monotonic clock, in nanoseconds. If the program's container has a monotonic clock of its own,
    /// the time is by the reader's clock.
    package let startMonotonic: UInt64

    /// The clock of a region, as its header describes it.
    package struct Source: Sendable {
        package let clock: UInt32
        package let startTicks: UInt64
        let startMonotonic: UInt64
        let ticksPerSecond: UInt64
        let lastAnchor: trace_anchor?

        /// - Parameter header: its ticks per second are greater than 0.
        package init(_ header: trace_header) {
            clock = header.clock
            startTicks = header.start_ticks
            startMonotonic = header.start_monotonic_ns
            ticksPerSecond = header.ticks_per_second
            let last = header.anchor_count.isMultiple(of: 2) ? header.anchors.1 : header.anchors.0
            lastAnchor = header.anchor_count > 0 ? last : nil
        }
    }

    /// - Parameter isRunning: whether the trace goes on, on this machine. The times of a trace that has ended come from its own anchors, so
    ///   that they are the same for every reader up to the last one.
    package init(_ source: Source, isRunning: Bool) {
        var times = TickTimes(start: source.startTicks, ticksPerSecond: source.ticksPerSecond)
        let isCounter = source.clock == TRACE_CLOCK_COUNTER.rawValue
        takesAnchors = isRunning && isCounter
        var start = source.startMonotonic
        if takesAnchors {
            let now = trace_anchor_now()
            start = Self.start(of: source, now, times.time(at: now.ticks))
            times.lead(to: now.ticks, time: now.monotonic_ns &- start)
        } else if isCounter {
            if let last = source.lastAnchor {
                times.lead(to: last.ticks, time: last.monotonic_ns &- start)
                _ = times.time(at: last.ticks)
            }
            Self.leadKilled(&times, start: start)
        }
        startMonotonic = start
        self.times = Guarded(times)
    }

    /// A program that was killed has no anchor of its last moments. If both clocks have gone on since, as on the same machine without a
    /// sleep, an anchor of now gives the rate of the time between.
    private static func leadKilled(_ times: inout TickTimes, start: UInt64) {
        let now = trace_anchor_now()
        guard now.monotonic_ns > start else { return }
        var expected = times
        let (measured, time) = (now.monotonic_ns - start, expected.time(at: now.ticks))
        guard max(measured, time) - min(measured, time) <= measured / 200 else { return }
        times.lead(to: now.ticks, time: measured)
    }

    /// - Parameter expected: the time of the anchor by the header's rate.
    private static func start(of source: Source, _ now: trace_anchor, _ expected: UInt64) -> UInt64 {
        let measured = now.monotonic_ns &- source.startMonotonic
        let difference = measured > expected ? measured - expected : expected - measured
        return difference <= expected / 100 + 10_000_000 ? source.startMonotonic : now.monotonic_ns &- expected
    }

    private func anchorIfDue(at tick: UInt64, _ times: inout TickTimes) {
        guard takesAnchors, tick >= times.due else { return }
        let now = trace_anchor_now()
        times.lead(to: now.ticks, time: now.monotonic_ns &- startMonotonic)
    }

    /// The time of a tick; 0 before the trace's start.
    package func time(at tick: UInt64) -> UInt64 {
        times.withLock { times in
            anchorIfDue(at: tick, &times)
            return times.time(at: tick)
        }
    }

    /// Replaces the ticks of a lane's records, which are in order, by times. No time is later than `latest`.
    package func convert(_ events: UnsafeMutableBufferPointer<TaskEvent>, latest: UInt64 = .max) {
        guard let last = events.last?.record.time else { return }
        times.withLock { times in
            anchorIfDue(at: last, &times)
            for index in events.indices { events[index].record.time = min(times.time(at: events[index].record.time), latest) }
        }
    }
}
