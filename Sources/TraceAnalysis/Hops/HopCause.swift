import TaskEvents
import TraceStore

/// The job that ran on the executor of a hop while the hop's job waited for it.
package struct HopCause: Hashable, Sendable {
    /// The task of the job that took the largest part of the wait. `.none` for a closure.
    package var task: TaskID
    /// The closure's name and call site.
    package var label: EntryID
    /// Nanoseconds of the wait during which it ran.
    package var time: UInt64
    /// The number of other jobs that ran there during the wait.
    package var others: Int
    /// Whether the executor runs one job at a time, so that the hop's job could not begin before.
    package var isSerial: Bool
}

extension HopAnalysis {
    /// The largest number of jobs examined for one hop.
    private static let causeLimit = 4096

    /// Whether the hop's job is still in the queue. An inline hop, which takes an actor without suspending, never waits.
    package func isWaiting(_ hop: Hop) -> Bool {
        hop.wait == nil && hop.manner != .inline && store.task(hop.task)?.state == .queued
    }

    /// The job that the hop's job waited for. Nil if none ran meanwhile, if the wait has no length, or if the trace keeps too much or too
    /// little of that time to tell.
    package func cause(of hop: Hop) -> HopCause? {
        guard hop.wait != nil || isWaiting(hop) else { return nil }
        let end = hop.wait.map { hop.at.addingReportingOverflow($0).partialValue } ?? store.now
        guard end > hop.at, store.lastLoss.map({ $0 < hop.at }) ?? true, let executor = store.executor(hop.to) else { return nil }
        guard store.jobs.isComplete || store.jobs.oldest.map({ $0 <= hop.at }) ?? true else { return nil }
        var cause = HopCause(task: .none, label: .none, time: 0, others: -1, isSerial: executor.kind == .main || executor.kind == .actor)
        func add(_ task: TaskID, _ label: EntryID, _ since: UInt64, _ until: UInt64) {
            let (first, last) = (max(since, hop.at), min(until, end))
            guard last > first else { return }
            cause.others += 1
            if last - first > cause.time { (cause.task, cause.label, cause.time) = (task, label, last - first) }
        }
        store.jobs.forEach(in: hop.at...end) { job in
            if job.executor == hop.to { add(job.task, job.label, job.since, job.until) }
            return cause.others < Self.causeLimit
        }
        for job in executor.running { add(job.task, job.label, job.since, store.now) }
        return cause.time > 0 && cause.others < Self.causeLimit ? cause : nil
    }
}
