/// Bounds for numbers that come from a file or another process. Readers clamp the numbers on entry, so that arithmetic on them cannot
/// overflow.
@usableFromInline
package enum TraceLimits {
    /// The latest time of an event, in nanoseconds from the trace's start: four and a half years.
    package static let latestTime: UInt64 = 1 << 57
    /// The latest start of a trace, in nanoseconds since 1970: the year 2116.
    package static let latestStart: UInt64 = 1 << 62
    /// The most records that one event can report as lost.
    package static let mostLost: UInt64 = 1 << 40
    /// The largest sum of times, and of lost events.
    @inlinable package static var greatestSum: UInt64 { 1 << 62 }
}

extension UInt64 {
    /// Adds times of any number of tasks, or counts of lost events. The sum stays below ``Int/max``.
    @inlinable
    package func plus(_ time: UInt64) -> UInt64 {
        let (sum, isOver) = addingReportingOverflow(time)
        return isOver ? TraceLimits.greatestSum : Swift.min(sum, TraceLimits.greatestSum)
    }

    /// A time multiplied by a factor that is no negative number, within the same bound.
    package func times(_ factor: Double) -> UInt64 {
        let product = Double(self) * factor
        return product < Double(TraceLimits.greatestSum) ? UInt64(product) : TraceLimits.greatestSum
    }
}
