import CTraceLanes

/// The hops onto free actors that one ``EventKind/hopped`` record reports.
package struct InlineHops: Hashable, Sendable {
    /// The executor that the task left.
    package var from: ExecutorID
    package var count: UInt64
    /// The total time that the task spent on `from` before these hops.
    package var nanoseconds: UInt64

    package init(from: ExecutorID, count: UInt64, nanoseconds: UInt64 = 0) {
        self.from = from
        self.count = count
        self.nanoseconds = nanoseconds
    }

    /// Decodes the record's `other`.
    package init(_ other: UInt64) {
        let countBits = UInt64(TRACE_HOPS_TIME_SHIFT.rawValue - TRACE_HOPS_COUNT_SHIFT.rawValue)
        from = ExecutorID(rawValue: UInt16(truncatingIfNeeded: other))
        count = max(1, other >> UInt64(TRACE_HOPS_COUNT_SHIFT.rawValue) & (1 << countBits - 1))
        nanoseconds = (other >> UInt64(TRACE_HOPS_TIME_SHIFT.rawValue)) * UInt64(TRACE_HOPS_TIME_UNIT.rawValue)
    }

    package var other: UInt64 {
        let countLimit: UInt64 = 1 << UInt64(TRACE_HOPS_TIME_SHIFT.rawValue - TRACE_HOPS_COUNT_SHIFT.rawValue) - 1
        let timeLimit: UInt64 = .max >> UInt64(TRACE_HOPS_TIME_SHIFT.rawValue)
        // A shift binds tighter than a division in Swift.
        let time = min(nanoseconds / UInt64(TRACE_HOPS_TIME_UNIT.rawValue), timeLimit)
        return UInt64(from.rawValue) | min(count, countLimit) << UInt64(TRACE_HOPS_COUNT_SHIFT.rawValue)
            | time << UInt64(TRACE_HOPS_TIME_SHIFT.rawValue)
    }
}
