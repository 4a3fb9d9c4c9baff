import TaskEvents
import TraceAnalysis
import TraceReport
import TraceStore
import TraceTransport

/// One observed process, as far as `hopscope ship` reports it: totals that follow the trace as it grows.
///
/// Its owner passes each batch to ``apply(_:)`` once, and then calls ``collect(isOver:slowChain:)``. Memory does not grow with the trace,
/// because the store evicts ended tasks and every other table has a bound. It belongs to one thread.
package final class ShippedProcess {
    package let store: TraceStore
    package let program: String
    /// The time at which the trace began, in nanoseconds since 1970.
    package let start: UInt64
    private let endedTasks: Int
    private let warnings: WarningEngine
    private var tasks = TaskTotals()
    private var jobs = JobTotals()
    private var faults = FaultTotals()
    private var findings = FindingLog()
    private var limiter = SeriesLimiter()

    package init(program: String, startedAt start: UInt64, settings: WarningSettings = WarningSettings(), endedTasks: Int = 100_000) {
        self.program = program
        self.start = start
        self.endedTasks = endedTasks
        // Only the events of spans tell of single hops, and few of them stay in the caches.
        store = TraceStore(retention: Retention(endedTasks: endedTasks, hops: 1024))
        // The rules and the totals take each batch as it comes. A copy of its events costs page faults and room in the caches.
        store.keepEvents(0)
        warnings = WarningEngine(settings: settings, limit: 1000)
    }

    /// Takes the next events.
    package func apply(_ batch: TraceBatch) {
        let first = store.eventCount + 1
        store.apply(batch)
        tasks.take(batch.events, store)
        jobs.follow(store)
        faults.followEnds(store, endedTasks: endedTasks)
        // The batch itself: the store would copy its events.
        warnings.take([EventStretch(first: first, events: batch.events, lanes: batch.lanes)], of: store)
    }

    /// The number of different attribute values that were counted together, because there were too many.
    package var cutValues: Int { limiter.cutValues }

    /// The data to send now.
    ///
    /// - Parameters:
    ///   - isOver: Whether the process has ended. If so, no open task will end.
    ///   - slowChain: A chain that takes longer than this many nanoseconds gets a trace of its own.
    package func collect(isOver: Bool, slowChain: UInt64) -> ShippedBatch {
        store.end = isOver ? .exit : .open
        let list = warnings.list(in: store, isOver: isOver)
        faults.follow(store)
        var points = PointTable(limiter: limiter)
        tasks.add(to: &points, store)
        jobs.add(to: &points, store)
        faults.add(to: &points, store)
        for group in list.groups { points.add(.findings, [group.rule, group.site], group.count) }
        points.add(.recordsLost, [], Int(clamping: store.lostCount))
        limiter = points.limiter
        return ShippedBatch(
            points: points.points, faults: faults.takeNews(), slowChains: tasks.takeSlowChains(in: store, over: slowChain),
            findings: findings.new(in: list, store))
    }
}

/// The data of one process at one moment.
package struct ShippedBatch {
    package let points: [ShippedPoint]
    /// Faults whose verdicts are new since the last batch.
    package let faults: [FaultPath]
    /// The roots of chains that ended since the last batch and were slow.
    package let slowChains: [TaskID]
    /// Findings that were not in an earlier batch.
    package let findings: [ReportedFinding]
}
