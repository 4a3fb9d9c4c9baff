import TaskEvents
import TraceStore
import TraceTransport

/// The executors that a chain's jobs ran on, one after the other: `net → main → net → main`.
package struct ChainWay: Hashable, Sendable {
    /// Each differs from the one before; the first is where the chain was before its first hop.
    package var executors: [ExecutorID]
    /// Hops of the chain's tasks, those that stayed on their executor included.
    package var hopCount: Int
    /// Nanoseconds that the jobs waited after their hops.
    package var wait: UInt64
    /// Nanoseconds from the chain's beginning to its end, or to now. Nil where the beginning is not known.
    package var total: UInt64?
    /// Whether more followed than were looked at.
    package var isPartial: Bool
}

extension ChainAnalysis {
    /// The way of the chain that a task is in, by the time of its hops; nil if the store does not keep the task.
    package func way(of task: TaskID, limit: Int = 1024) -> ChainWay? {
        guard let chain = chain(of: task, limit: limit), let first = chain.tasks.first.flatMap({ store.task($0) }) else { return nil }
        let hops = chain.tasks.lazy.compactMap { store.task($0) }.flatMap(\.hops).sorted { ($0.at, $0.task) < ($1.at, $1.task) }
        var way = ChainWay(executors: [], hopCount: hops.count, wait: 0, total: timings(of: chain).total, isPartial: chain.isPartial)
        func visit(_ executor: ExecutorID) {
            if executor != .none, way.executors.last != executor { way.executors.append(executor) }
        }
        if hops.first?.from ?? ExecutorID.none == ExecutorID.none { visit(first.executor) }
        for hop in hops {
            visit(hop.from)
            visit(hop.to)
            way.wait = way.wait.plus(hop.wait ?? 0)
        }
        return way
    }
}
