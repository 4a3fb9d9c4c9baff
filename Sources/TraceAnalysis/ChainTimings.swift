import TaskEvents
import TraceStore

/// Where a chain's time went, in nanoseconds.
package struct ChainTimings: Hashable, Sendable {
    /// From the first task's creation to the end of the last, or to now where one has not ended. Nil where no creation is known.
    package var total: UInt64?
    /// Sums over the tasks; tasks that run at the same time count each.
    package var busy: UInt64
    package var queued: UInt64
    package var suspended: UInt64
    /// Of the tasks whose bodies have run, their bodies' times.
    package var bodies: Percentiles
    /// Of the tasks that went through a queue, their times in it.
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
            busy: tasks.reduce(0) { $0 + $1.busy },
            queued: tasks.reduce(0) { $0 + $1.queuedTime },
            suspended: tasks.reduce(0) { $0 + $1.suspendedTime },
            bodies: Percentiles(tasks.lazy.filter(\.hasBegun).map(\.busy)),
            waits: Percentiles(tasks.lazy.filter { $0.queued != nil }.map(\.queuedTime)))
    }

    /// From the task's creation to its end, or to now. Nil where its creation is not known.
    package func total(of task: TaskView) -> UInt64? {
        task.created.map { created in
            let end = task.state.hasEnded ? task.ended ?? created : store.now
            return end > created ? end - created : 0
        }
    }
}
