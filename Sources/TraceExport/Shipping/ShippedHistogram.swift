/// The cumulative distribution of durations over fixed bounds.
package struct ShippedHistogram: Hashable, Sendable {
    /// The upper bounds of the buckets, in nanoseconds: about two per decade from 10 us to ten seconds. A last bucket has no bound.
    package static let bounds: [UInt64] = [
        10_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000, 300_000_000, 1_000_000_000, 3_000_000_000,
        10_000_000_000,
    ]

    package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of the durations, in nanoseconds.
    package private(set) var sum: UInt64 = 0

    package init() {}

    package var count: UInt64 { counts.reduce(0, +) }

    package mutating func add(_ nanoseconds: UInt64, times: UInt64 = 1) {
        let bucket = Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count
        counts[bucket] += times
        sum &+= nanoseconds &* times
    }

    package mutating func add(_ other: ShippedHistogram) {
        for bucket in counts.indices { counts[bucket] += other.counts[bucket] }
        sum &+= other.sum
    }
}
