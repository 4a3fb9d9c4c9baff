import TaskEvents

/// A body that has run: a job from a queue, or a body that ran inline on an executor without a queue of its own.
package struct JobRecord: Hashable, Sendable {
    /// `.none` for a closure that belongs to no task.
    package var task: TaskID
    /// Nanoseconds from the trace's start.
    package var since: UInt64
    package var until: UInt64
    package var executor: ExecutorID
    /// The lane of its thread.
    package var lane: UInt16
    /// The name and the call site of a closure; `.none` for a task's job, and if unknown.
    package var label: EntryID

    package init(task: TaskID, since: UInt64, until: UInt64, executor: ExecutorID, lane: UInt16, label: EntryID = .none) {
        self.task = task
        self.label = label
        self.since = since
        self.until = max(since, until)
        self.executor = executor
        self.lane = lane
    }

    package var duration: UInt64 { until - since }
}

/// The jobs that have ended, in the order of their ends: the last 130,000 or so, and the last few thousand long jobs of the main executor.
///
/// The jobs are stored in pages that copies share until one of them writes, so a copy costs a list of pages. A page knows the time span of
/// its jobs, so a query for a time window skips other pages. Like the store, the history belongs to one thread.
package struct JobHistory {
    /// Nanoseconds of one frame at 60 frames a second.
    package static let frameBudget: UInt64 = 16_700_000
    private static let pageSize = 1024
    private static let pageLimit = 128
    private static let stallLimit = 4096

    private struct Page {
        var jobs: ContiguousArray<JobRecord> = []
        var earliest = UInt64.max
        var latest: UInt64 = 0

        init() {
            jobs.reserveCapacity(JobHistory.pageSize)
        }
    }

    /// The full pages.
    private var pages: [Page] = []
    /// The page that is being filled.
    private var open = Page()
    /// The number of jobs ever added.
    package private(set) var total = 0
    /// The main executor's jobs that took longer than a frame, oldest first.
    package private(set) var stalls: [JobRecord] = []
    /// The number of frames that the main executor's jobs have missed since the trace's start.
    package private(set) var missedFrames: UInt64 = 0
    /// The time that all jobs together ran, over the whole trace.
    package private(set) var loads = LoadMap()

    init() {}

    /// Bytes of the pages that a later state of the same history does not have.
    func bytesUnshared(with later: JobHistory) -> Int {
        min(later.total - total, pages.count * Self.pageSize + open.jobs.count) * MemoryLayout<JobRecord>.stride
    }

    mutating func append(_ job: JobRecord, isMain: Bool) {
        if open.jobs.count == Self.pageSize {
            if pages.count == Self.pageLimit - 1 { pages.removeFirst() }
            pages.append(open)
            open = Page()
        }
        open.jobs.append(job)
        open.earliest = min(open.earliest, job.since)
        open.latest = max(open.latest, job.until)
        total += 1
        loads.add(from: job.since, until: job.until)
        guard isMain, job.duration > Self.frameBudget else { return }
        missedFrames += job.duration / Self.frameBudget
        stalls.append(job)
        if stalls.count > 2 * Self.stallLimit { stalls.removeFirst(Self.stallLimit) }
    }

    /// Drops the kept jobs. The long jobs of the main executor and the sums stay.
    mutating func forgetJobs() {
        pages = []
        open.jobs.removeAll(keepingCapacity: true)
        (open.earliest, open.latest) = (.max, 0)
    }

    /// Calls `body` with each job that ran at some time in `range`, in the order of their ends, until `body` returns false.
    package func forEach(in range: ClosedRange<UInt64>, _ body: (JobRecord) -> Bool) {
        for page in pages + [open] where page.latest >= range.lowerBound && page.earliest <= range.upperBound {
            for job in page.jobs where job.until >= range.lowerBound && job.since <= range.upperBound {
                guard body(job) else { return }
            }
        }
    }

    /// Calls `body` with the kept jobs from `number` on, counted from 0 in the order of their ends, and at most `limit` of them. Returns
    /// the number of the first one that was read: later than `number` if older jobs are not kept.
    @discardableResult
    package func read(from number: Int, limit: Int, _ body: (JobRecord) -> Void) -> Int {
        let oldest = total - pages.count * Self.pageSize - open.jobs.count
        let first = max(number, oldest)
        var left = limit
        for index in min(pages.count, (first - oldest) / Self.pageSize)...pages.count where left > 0 {
            let page = index < pages.count ? pages[index] : open
            let skipped = max(0, first - oldest - index * Self.pageSize)
            for job in page.jobs.dropFirst(skipped).prefix(left) { body(job) }
            left -= max(0, page.jobs.count - skipped)
        }
        return first
    }

    /// Whether no job has been dropped.
    package var isComplete: Bool { total == pages.count * Self.pageSize + open.jobs.count }

    /// The end of the oldest kept job; nil before the first job has ended.
    package var oldest: UInt64? { (pages.first ?? open).jobs.first?.until }
}
