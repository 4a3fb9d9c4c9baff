import TaskEvents
import TraceStore

/// Counts the 16.7 ms frames that main's jobs missed. Computed from the store on each call. Like the store, it belongs to one thread.
package struct MainFrames {
    private let store: TraceStore
    private let main: ExecutorView?

    package init(_ store: TraceStore) {
        self.store = store
        main = store.mainExecutors.first
    }

    /// Whether the trace has a main executor.
    package var isUsed: Bool { main != nil }

    /// Frames since the trace's start.
    package var frames: UInt64 { store.now / JobHistory.frameBudget }

    /// The frames that jobs missed. A running job counts up to now.
    package var missedFrames: UInt64 { store.jobs.missedFrames + (running?.missedFrames ?? 0) }

    /// The newest first.
    package func stalls(limit: Int) -> [Stall] {
        var stalls = running.map { [$0] } ?? []
        for job in store.jobs.stalls.suffix(max(0, limit - stalls.count)).reversed() {
            stalls.append(Stall(task: job.task, label: job.label, since: job.since, until: job.until, isRunning: false))
        }
        return stalls
    }

    package var stallCount: Int { store.jobs.stalls.count + (running == nil ? 0 : 1) }

    /// The jobs that waited during the stall, the longest wait first. At most `limit`.
    ///
    /// To find the jobs that main has run since, the search follows main's jobs after the stall, up to the first job that was enqueued
    /// later.
    package func victims(of stall: Stall, limit: Int = 256) -> [Victim] {
        guard let main else { return [] }
        var victims: [Victim] = []
        for job in main.queue.prefix(limit) where job.since < stall.until {
            victims.append(Victim(task: job.task, wait: stall.until - max(stall.since, job.since)))
        }
        if !stall.isRunning {
            store.jobs.forEach(in: stall.until...max(stall.until, store.now)) { job in
                guard job.executor == main.id, job.since >= stall.until else { return true }
                guard victims.count < limit else { return false }
                guard let queued = queued(job.task, startingAt: job.since) else { return true }
                guard queued < stall.until else { return false }
                victims.append(Victim(task: job.task, wait: stall.until - max(stall.since, queued)))
                return true
            }
            for job in main.running where job.since >= stall.until {
                guard let queued = queued(job.task, startingAt: job.since), queued < stall.until else { continue }
                victims.append(Victim(task: job.task, wait: stall.until - max(stall.since, queued)))
            }
        }
        return victims.sorted { ($1.wait, $0.task) < ($0.wait, $1.task) }
    }

    /// The time at which a task's job was enqueued that began at `start`. A task of Swift has a job for each of its stays on main: the store
    /// keeps the times of the first one, and those of the later ones with their hops. Nil if unknown.
    private func queued(_ id: TaskID, startingAt start: UInt64) -> UInt64? {
        guard let task = store.task(id), let main else { return nil }
        if !task.kind.isOfSwift || task.started == start { return task.queued }
        let hop = Array(task.hops).last { $0.to == main.id && $0.at <= start }
        guard let hop, let wait = hop.wait, start - min(start, hop.at.addingReportingOverflow(wait).partialValue) < Self.instant else {
            return nil
        }
        return hop.at
    }

    /// A hop and its job's enqueueing are two events, one right after the other.
    private static let instant: UInt64 = 10_000

    private var running: Stall? {
        main?.running.lazy
            .map { Stall(task: $0.task, label: $0.label, since: $0.since, until: max($0.since, store.now), isRunning: true) }
            .first { $0.duration > JobHistory.frameBudget }
    }
}

extension MainFrames {
    /// A job on main that took longer than a frame.
    package struct Stall: Hashable, Sendable {
        /// The task of the blocking job. `.none` for a closure without a task.
        package var task: TaskID
        /// The name and the call site of a closure. `.none` for a task's job, and if unknown.
        package var label = EntryID.none
        package var since: UInt64
        /// The job's end, or now.
        package var until: UInt64
        package var isRunning: Bool

        package var duration: UInt64 { until - since }
        package var missedFrames: UInt64 { duration / JobHistory.frameBudget }
    }

    /// A task whose job waited for main during a stall.
    package struct Victim: Hashable, Sendable {
        package var task: TaskID
        /// Nanoseconds of the stall during which it waited.
        package var wait: UInt64
    }
}
