import TaskEvents
import TraceStore

/// Lines through Dispatch: from the job that made a block to the block's own job, and from that one to the job of the task that it resumed.
extension Swimlanes {
    /// The largest number of lines from one job, and of blocks that are tried as the one that resumed it.
    private static let mostLines = 16
    /// The largest number of successors that are searched for the blocks that a job made.
    private static let successorLimit = 4096

    func blockArrows(of job: JobRecord, _ task: TaskView, at here: Int, _ index: SwimIndex, _ store: TraceStore) -> [SwimArrow] {
        var arrows: [SwimArrow] = []
        /// Adds a line, unless it would stay in its row.
        func add(_ from: Int?, _ to: Int?, at time: UInt64, until began: UInt64?) {
            guard let from, let to, from != to else { return }
            let wait = scale.columns(from: time, to: began ?? store.now)
            arrows.append(SwimArrow(from: from, to: to, column: scale.column(of: time), wait: wait))
        }
        func row(_ job: JobRecord) -> Int? { self.row(of: job.executor, lane: Int(job.lane), index) }
        if task.kind == .block {
            if let queued = task.queued, let maker = task.firstAntecedent.flatMap({ store.job(of: $0, at: queued) }) {
                add(row(maker), here, at: queued, until: task.started)
            }
            for resumed in task.awaiters.prefix(Self.mostLines) {
                guard let next = store.job(of: resumed, resumedBy: job) else { continue }
                add(here, row(next), at: min(job.until, next.since), until: next.since)
            }
        } else {
            let earlier = task.resumingBlocks.reversed().lazy.compactMap { store.blockJob($0) }.filter { $0.since <= job.since }
            if let block = earlier.prefix(Self.mostLines).first(where: { store.job(of: job.task, resumedBy: $0)?.since == job.since }) {
                add(row(block), here, at: min(block.until, job.since), until: job.since)
            }
        }
        let made = task.successors.lazy.prefix(Self.successorLimit).compactMap { store.task($0) }
            .filter { $0.kind == .block && (job.since...job.until).contains($0.queued ?? 0) }
        for block in made.prefix(Self.mostLines) {
            let lane = block.started == nil ? nil : block.lane
            add(here, self.row(of: block.executor, lane: lane, index), at: block.queued ?? 0, until: block.started)
        }
        return arrows
    }
}

extension TraceStore {
    /// The largest number of jobs that are read in search of one.
    private static let searchLimit = 1 << 14

    /// The job of a block that runs or has run.
    fileprivate func blockJob(_ id: TaskID) -> JobRecord? {
        guard let block = task(id), let started = block.started else { return nil }
        return JobRecord(
            task: id, since: started, until: block.ended ?? now, executor: block.executor, lane: UInt16(clamping: block.lane))
    }

    /// The job of a task that ran at a time. Nil if none did, or if it is no longer kept.
    fileprivate func job(of task: TaskID, at time: UInt64) -> JobRecord? {
        var found: JobRecord?
        jobs.forEach(in: time...time) { job in
            if job.task == task { found = job }
            return found == nil
        }
        return found ?? running(task, after: 0).flatMap { $0.since <= time ? $0 : nil }
    }

    /// The job of a task that began after a block had resumed the task. The block did so at some time of its run. A job of the task that
    /// began and ended within that run may have been before or after, and so may one that is lost or no longer kept; then it is nil.
    fileprivate func job(of task: TaskID, resumedBy block: JobRecord) -> JobRecord? {
        guard jobs.isComplete || jobs.oldest.map({ $0 <= block.since }) == true else { return nil }
        var found: JobRecord?
        var count = 0
        jobs.forEach(in: block.since...UInt64.max) { job in
            count += 1
            if job.task == task, job.since >= block.since { found = job }
            return found == nil && count < Self.searchLimit
        }
        if found == nil, count < Self.searchLimit { found = running(task, after: block.since) }
        return found.flatMap { $0.until > block.until && !hasLoss(from: block.since, until: $0.since) ? $0 : nil }
    }

    private func running(_ task: TaskID, after time: UInt64) -> JobRecord? {
        running.first { $0.job.task == task && $0.job.since >= time }.map { executor, job in
            JobRecord(task: task, since: job.since, until: now, executor: executor, lane: UInt16(clamping: job.lane))
        }
    }
}
