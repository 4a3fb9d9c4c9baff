import TaskEvents
import TraceStore

/// The jobs of a trace, with the cause of each: the graph that a ``JobReplay`` plays again.
///
/// A job is a part of a task's life in which it runs, or blocks, on one executor. Its cause is what put it into its queue: a moment of
/// another job, the end of the task's own previous job, or the world outside of the trace.
struct JobGraph {
    struct Job {
        let task: TaskID
        let executor: ExecutorID
        /// The time at which it was put into the queue, or its start if it was in none.
        var queued: UInt64
        let start: UInt64
        var end: UInt64
        /// Whether it began on the thread of its cause, in no queue. Such a job needs no turn on its executor.
        var isInline: Bool
        /// The job that caused it; -1 for the world outside, or for a time.
        var cause: Int32 = -1
        /// The job inside of which it ran, which takes its time as well; -1 for none.
        var outer: Int32 = -1

        var duration: UInt64 { end - start }
    }

    private(set) var jobs: [Job] = []
    /// The jobs of each task, in the order of time.
    private(set) var byTask: [TaskID: Range<Int>] = [:]

    init(_ store: TraceStore, _ steps: TaskSteps) {
        var waits: [(awaited: TaskID, waker: TaskID)] = []
        for row in store.rows {
            let task = store[row]
            guard task.created != nil, !task.isTouchedByLoss else { continue }
            append(task, TaskCourse(of: task, steps, in: store), &waits)
        }
        for index in jobs.indices { findCause(of: index, waits[index], in: store) }
    }

    private mutating func append(_ task: TaskView, _ course: TaskCourse, _ waits: inout [(awaited: TaskID, waker: TaskID)]) {
        let first = jobs.count
        var queued: UInt64?
        var wait = (awaited: TaskID.none, waker: TaskID.none)
        for stretch in course.stretches {
            switch stretch.state {
            case .pending, .suspended: wait = (stretch.awaited, stretch.waker)
            case .queued: queued = stretch.start
            case .running, .blocked:
                if jobs.count > first, !stretch.isDequeued, jobs[jobs.count - 1].end == stretch.start,
                    jobs[jobs.count - 1].executor == stretch.executor
                {
                    jobs[jobs.count - 1].end = stretch.end
                    continue
                }
                jobs.append(
                    Job(
                        task: task.id, executor: stretch.executor, queued: queued ?? stretch.start, start: stretch.start, end: stretch.end,
                        isInline: !stretch.isDequeued && jobs.count == first))
                waits.append(wait)
                (queued, wait) = (nil, (.none, .none))
            }
        }
        if jobs.count > first { byTask[task.id] = first..<jobs.count }
    }

    // MARK: Causes

    private mutating func findCause(of index: Int, _ wait: (awaited: TaskID, waker: TaskID), in store: TraceStore) {
        let job = jobs[index]
        let isFirst = byTask[job.task]?.lowerBound == index
        guard let task = store.task(job.task) else { return }
        let candidates = [wait.waker, wait.awaited] + (isFirst ? Array(task.antecedents.prefix(64)) : [])
        var cause: Int?
        for candidate in candidates where candidate != .none {
            guard let found = self.job(of: candidate, before: job.queued), jobs[found].end > jobs[cause ?? found].end || cause == nil else {
                continue
            }
            cause = found
            // The task that woke it is certain.
            if candidate == wait.waker { break }
        }
        if cause == nil, !isFirst { cause = index - 1 }
        guard let cause else { return }
        jobs[index].cause = Int32(cause)
        if job.isInline, jobs[cause].start <= job.start, job.end <= jobs[cause].end { jobs[index].outer = Int32(cause) }
    }

    /// The job of a task that began last before a time.
    private func job(of task: TaskID, before time: UInt64) -> Int? {
        guard let range = byTask[task] else { return nil }
        let index = range.partitioned { jobs[$0].start > time }
        return index > range.lowerBound ? index - 1 : nil
    }
}

extension Range<Int> {
    /// The first number of the range that is behind a border, by binary search; its end if none is.
    fileprivate func partitioned(isBehind: (Int) -> Bool) -> Int {
        partitioningIndex { isBehind($0) }
    }
}
