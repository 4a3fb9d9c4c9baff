import TaskEvents

/// A body that has run: a job from a queue, or one that ran inline on an executor without a queue of its own.
package struct JobRecord: Hashable, Sendable {
    /// `.none` for a closure that is no task's.
    package var task: TaskID
    /// Nanoseconds from the trace's start.
    package var since: UInt64
    package var until: UInt64
    package var executor: ExecutorID
    /// The thread's lane.
    package var lane: UInt16

    package init(task: TaskID, since: UInt64, until: UInt64, executor: ExecutorID, lane: UInt16) {
        self.task = task
        self.since = since
        self.until = max(since, until)
        self.executor = executor
        self.lane = lane
    }

    package var duration: UInt64 { until - since }
}

/// The jobs that have ended, in the order of their ends: the last hundred and thirty thousand, and of main's long ones the last few
/// thousand.
///
/// In pages that are shared until they are written to, so that a copy costs a list of them. A page knows what time its jobs span; a window
/// of time is answered without looking at the others. Like the store, it belongs to one thread.
package struct JobHistory {
    /// Nanoseconds that a frame has at 60 a second.
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

    /// Full ones.
    private var pages: [Page] = []
    /// The one that fills.
    private var open = Page()
    /// Jobs ever added.
    package private(set) var total = 0
    /// Main's jobs that took longer than a frame, oldest first.
    package private(set) var stalls: [JobRecord] = []
    /// Frames that main's jobs have run over, of all that it has been since the trace's start.
    package private(set) var missedFrames: UInt64 = 0

    init() {}

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
        guard isMain, job.duration > Self.frameBudget else { return }
        missedFrames += job.duration / Self.frameBudget
        stalls.append(job)
        if stalls.count > 2 * Self.stallLimit { stalls.removeFirst(Self.stallLimit) }
    }

    /// Calls `body` with each job that ran at some time in the range, in the order of their ends, until it returns false.
    package func forEach(in range: ClosedRange<UInt64>, _ body: (JobRecord) -> Bool) {
        for page in pages + [open] where page.latest >= range.lowerBound && page.earliest <= range.upperBound {
            for job in page.jobs where job.until >= range.lowerBound && job.since <= range.upperBound {
                guard body(job) else { return }
            }
        }
    }

    /// The end of the oldest job that is kept; nil before the first has ended.
    package var oldest: UInt64? { (pages.first ?? open).jobs.first?.until }
}
