/// Exact percentiles of a handful of durations: of a chain's tasks, where the executors' histograms would be too coarse.
package struct Percentiles: Hashable, Sendable {
    private let sorted: [UInt64]

    package init(_ values: some Sequence<UInt64>) {
        sorted = values.sorted()
    }

    package var count: Int { sorted.count }
    package var longest: UInt64? { sorted.last }

    /// The smallest value that at least `percent` in a hundred do not exceed (the nearest rank). Nil where there is none.
    package func value(at percent: Int) -> UInt64? {
        precondition((0...100).contains(percent), "a percentile is from 0 to 100, not \(percent)")
        guard !sorted.isEmpty else { return nil }
        let rank = (sorted.count * percent + 99) / 100
        return sorted[max(rank, 1) - 1]
    }
}
