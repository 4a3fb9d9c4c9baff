import TaskEvents
import TraceStore
import TraceTransport

/// The times of a chain, in nanoseconds.
package struct ChainTimings: Hashable, Sendable {
    /// From the first creation to the last end, or to now if a task has not ended. Nil if no creation is known.
    package var total: UInt64?
    /// Sums over the tasks, also of tasks that ran at the same time.
    package var busy: UInt64
    package var queued: UInt64
    package var suspended: UInt64
    /// Of the tasks whose bodies have begun: how long their bodies ran.
    package var bodies: Percentiles
    /// Of the tasks that went through a queue: how long they waited there.
    package var waits: Percentiles
}

extension ChainAnalysis {
    package func timings(of chain: Chain) -> ChainTimings {
        let tasks = chain.tasks.compactMap { store.task($0) }
        let created = tasks.lazy.compactMap(\.created).min()
        let hasEnded = tasks.allSatisfy { $0.state.hasEnded }
        let ended = hasEnded ? tasks.lazy.compactMap(\.ended).max() : store.now
        let total = created.flatMap { created in ended.map { $0 > created ? $0 - created : 0 } }
        return ChainTimings(
            total: total,
            busy: tasks.reduce(0) { $0.plus($1.busy) },
            queued: tasks.reduce(0) { $0.plus($1.queuedTime) },
            suspended: tasks.reduce(0) { $0.plus($1.suspendedTime) },
            bodies: Percentiles(tasks.lazy.filter(\.hasBegun).map(\.busy)),
            waits: Percentiles(tasks.lazy.filter { $0.queued != nil }.map(\.queuedTime)))
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

    /// The smallest value that at least `percent` in a hundred do not exceed (the nearest rank). Nil without values.
    package func value(at percent: Int) -> UInt64? {
        precondition((0...100).contains(percent), "a percentile is from 0 to 100, not \(percent)")
        guard !sorted.isEmpty else { return nil }
        let rank = (sorted.count * percent + 99) / 100
        return sorted[max(rank, 1) - 1]
    }
}
