import TaskEvents
import TraceStore

/// All hops from one executor to another.
package struct HopRoute: Sendable {
    /// `.none` for a thread that ran no executor's job.
    package var from: ExecutorID
    package var to: ExecutorID
    /// Sorted by time.
    package var hops: [ClassedHop]

    package var count: Int { hops.count }

    /// The waits of the jobs that have begun.
    package var waits: Percentiles { Percentiles(hops.lazy.compactMap(\.hop.wait)) }

    package func count(of hopClass: HopClass) -> Int {
        hops.lazy.filter { $0.hopClass == hopClass }.count
    }
}

extension HopAnalysis {
    /// The hops grouped by route. Routes onto main come first, then routes with more hops.
    package func routes(of hops: [ClassedHop]) -> [HopRoute] {
        Dictionary(grouping: hops) { HopEnds(from: $0.hop.from, to: $0.hop.to) }
            .map { HopRoute(from: $0.key.from, to: $0.key.to, hops: $0.value) }
            .sorted { precedes($0, $1) }
    }

    private func precedes(_ one: HopRoute, _ other: HopRoute) -> Bool {
        let isMain = (one: store.description(of: one.to).kind == .main, other: store.description(of: other.to).kind == .main)
        if isMain.one != isMain.other { return isMain.one }
        if one.count != other.count { return one.count > other.count }
        return (one.from, one.to) < (other.from, other.to)
    }
}

/// Exact percentiles of a few durations, for which a histogram would be too coarse.
package struct Percentiles: Hashable, Sendable {
    private let sorted: [UInt64]

    package init(_ values: some Sequence<UInt64>) {
        sorted = values.sorted()
    }

    package var count: Int { sorted.count }
    package var longest: UInt64? { sorted.last }

    /// The smallest value that at least `percent` percent of the values do not exceed (the nearest rank). Nil without values.
    package func value(at percent: Int) -> UInt64? {
        precondition((0...100).contains(percent), "a percentile is from 0 to 100, not \(percent)")
        guard !sorted.isEmpty else { return nil }
        let rank = (sorted.count * percent + 99) / 100
        return sorted[max(rank, 1) - 1]
    }
}
