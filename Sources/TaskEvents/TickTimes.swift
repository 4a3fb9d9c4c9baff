/// Converts the ticks of a trace to nanoseconds from the trace's start, on a line that anchors keep on the monotonic clock.
///
/// The rate of a processor's counter is known to about 1 in 10,000 at the start, and the system slews its monotonic clock, so a single rate
/// would be off by a third of a second in an hour. A reader therefore takes an *anchor* when one is due: the counter and the monotonic clock
/// at the same moment. A new anchor never changes a time that has been given out. The line goes on from the latest of these and meets the
/// clock at the time when the next anchor is due, or at once after a silence. So the line is continuous, never goes back, and is within a
/// microsecond of the clock unless the clock's rate changes; then it follows within seconds.
package struct TickTimes: Sendable {
    /// The line from a tick on, up to the next segment.
    private struct Segment {
        var tick: UInt64
        var time: UInt64
        /// Nanoseconds per tick, times 2^32.
        var factor: UInt64

        func time(at tick: UInt64) -> UInt64 {
            let product = (tick - self.tick).multipliedFullWidth(by: factor)
            guard product.high >> 32 == 0 else { return UInt64.max }
            let (sum, overflow) = time.addingReportingOverflow(product.high << 32 | product.low >> 32)
            return overflow ? UInt64.max : sum
        }
    }

    /// The shortest and the longest time between two anchors. At first they follow as closely as the rate is uncertain.
    private static var shortest: UInt64 { 1_000_000 }
    private static var longest: UInt64 { 1_000_000_000 }
    /// At most this many segments are kept, more than an hour of them. Then pairs of the older half become one line each.
    private static var room: Int { 4096 }

    private var segments: [Segment]
    /// Nanoseconds per tick between the last two anchors, times 2^32.
    private var rate: UInt64
    /// The latest anchor. At first the trace's start.
    private var anchor: (tick: UInt64, time: UInt64)
    /// The tick from which on an anchor is due.
    private(set) package var due: UInt64
    /// The latest tick, before `due`, whose time has been given out.
    private var given: UInt64

    /// - Parameters:
    ///   - start: the tick of the trace's start, whose time is 0.
    ///   - ticksPerSecond: greater than 0.
    package init(start: UInt64, ticksPerSecond: UInt64) {
        rate = Self.factor(time: 1_000_000_000, ticks: ticksPerSecond) ?? UInt64.max
        segments = [Segment(tick: start, time: 0, factor: rate)]
        anchor = (start, 0)
        given = start
        due = start
        due = Self.ticks(in: Self.shortest, rate).addingSaturating(to: start)
    }

    /// Nil if the quotient has no room.
    private static func factor(time: UInt64, ticks: UInt64) -> UInt64? {
        let product = time.multipliedFullWidth(by: 1 << 32)
        return product.high < ticks ? max(1, ticks.dividingFullWidth(product).quotient) : nil
    }

    private static func ticks(in time: UInt64, _ factor: UInt64) -> UInt64 {
        let product = time.multipliedFullWidth(by: 1 << 32)
        return product.high < factor ? factor.dividingFullWidth(product).quotient : UInt64.max
    }

    /// The time of a tick; 0 before the trace's start.
    package mutating func time(at tick: UInt64) -> UInt64 {
        if tick > given { given = min(tick, due) }
        let last = segments[segments.count - 1]
        return tick >= last.tick ? last.time(at: tick) : earlierTime(at: tick)
    }

    private func earlierTime(at tick: UInt64) -> UInt64 {
        let next = segments.partitioningIndex { $0.tick > tick }
        return next == 0 ? 0 : segments[next - 1].time(at: tick)
    }

    /// Leads the line to an anchor. Anchors that go back are ignored: a hostile file may hold any.
    package mutating func lead(to tick: UInt64, time: UInt64) {
        guard tick > anchor.tick, time > anchor.time, time < .max / 2 else { return }
        // While the machine sleeps, the counter runs and the monotonic clock stands still. That is no rate.
        if let measured = Self.factor(time: time - anchor.time, ticks: tick - anchor.tick),
            measured > rate - rate / 10, measured < rate.addingSaturating(to: rate / 10)
        {
            rate = measured
        }
        anchor = (tick, time)
        let pause = min(Self.longest, max(Self.shortest, time))
        // After a silence the line has been led to an anchor, which is later than the event that was read then.
        let last = segments[segments.count - 1]
        let from = max(given, last.tick), reached = last.time(at: from)
        due = Self.ticks(in: pause, rate).addingSaturating(to: tick)
        guard due > from else { return }
        if from < tick, tick - from >= due - tick, time >= reached {
            // After a silence there is room to reach the clock at once.
            append(Segment(tick: from, time: reached, factor: Self.factor(time: time - reached, ticks: tick - from) ?? 1))
            append(Segment(tick: tick, time: time, factor: rate))
        } else {
            // A line that is ahead of the clock waits for it.
            let slope = time + pause > reached ? Self.factor(time: time + pause - reached, ticks: due - from) : nil
            append(Segment(tick: from, time: reached, factor: slope ?? 1))
        }
    }

    private mutating func append(_ segment: Segment) {
        if segments[segments.count - 1].tick == segment.tick { segments.removeLast() }
        if segments.count == Self.room { thin() }
        segments.append(segment)
    }

    /// Replaces each pair of segments in the older half by a line between its ends.
    private mutating func thin() {
        let half = segments.count / 2
        var kept: [Segment] = []
        for index in stride(from: 0, to: half, by: 2) {
            let (first, end) = (segments[index], segments[index + 2])
            let factor = Self.factor(time: end.time - first.time, ticks: end.tick - first.tick) ?? first.factor
            kept.append(Segment(tick: first.tick, time: first.time, factor: factor))
        }
        segments.replaceSubrange(..<half, with: kept)
    }
}

extension UInt64 {
    fileprivate func addingSaturating(to other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? UInt64.max : sum
    }
}
