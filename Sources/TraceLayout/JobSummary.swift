import TaskEvents
import TraceStore
import TraceTransport

/// The jobs of one line of a timeline, in the order of their ends.
typealias JobLine = SummaryTree<JobSummary>

/// A summary of consecutive jobs of one line.
struct JobSummary: ElementSummary {
    /// The first start, the last start and the last end of all jobs.
    var start: UInt64
    var lastStart: UInt64
    var end: UInt64
    /// Nanoseconds of all jobs together.
    var busy: UInt64
    /// The longest job's duration and number.
    var longest: UInt64
    var number: Int

    init(_ job: JobRecord, number: Int) {
        (start, lastStart, end) = (job.since, job.since, job.until)
        (busy, longest) = (job.duration, job.duration)
        self.number = number
    }

    mutating func add(_ later: JobSummary) {
        start = min(start, later.start)
        lastStart = max(lastStart, later.lastStart)
        end = max(end, later.end)
        busy = busy.plus(later.busy)
        if later.longest > longest { (longest, number) = (later.longest, later.number) }
    }
}

extension JobLine {
    /// The job that starts first after `job`, or last before it.
    func neighbour(of job: JobRecord, isNext: Bool) -> JobRecord? {
        // Two jobs that start together are ordered by their ends, the longer one first, because it is the outer one.
        func isBefore(_ one: JobRecord, _ other: JobRecord) -> Bool {
            (one.since, other.until) < (other.since, one.until)
        }
        var found: JobRecord?
        visit { group, _ in
            isNext
                ? group.lastStart < job.since || group.start > found?.since ?? .max
                : group.start > job.since || group.lastStart < found?.since ?? 0
        } _: { other in
            guard isNext ? isBefore(job, other) : isBefore(other, job) else { return }
            if let best = found, isNext ? isBefore(best, other) : isBefore(other, best) { return }
            found = other
        }
        return found
    }

    /// The task's job that began at `start`.
    func job(of task: TaskID, startedAt start: UInt64) -> JobRecord? {
        var found: JobRecord?
        visit { group, _ in
            found != nil || group.start > start || group.lastStart < start
        } _: { job in
            if job.task == task, job.since == start { found = job }
        }
        return found
    }
}

/// The changes of one queue's depth, in the order of their times.
typealias DepthLine = SummaryTree<DepthSummary>

struct DepthSummary: ElementSummary {
    var start: UInt64
    var end: UInt64
    var greatest: UInt32
    /// The depth after the last change.
    var last: UInt32

    init(_ step: DepthStep, number: Int) {
        (start, end) = (step.at, step.at)
        (greatest, last) = (step.depth, step.depth)
    }

    mutating func add(_ later: DepthSummary) {
        end = max(end, later.end)
        greatest = max(greatest, later.greatest)
        last = later.last
    }
}
