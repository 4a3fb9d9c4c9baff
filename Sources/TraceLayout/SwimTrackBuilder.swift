import TaskEvents
import TraceStore
import TraceTransport

/// Puts the jobs of one line into its columns. Of the jobs shorter than a column, each column keeps only their sum and the longest.
struct SwimTrackBuilder {
    /// The largest number of jobs and groups that are examined one by one for each column. A line whose jobs follow one another, or contain
    /// one another, needs far fewer. Only a damaged trace has more, and then the rest of a group counts by its longest job.
    private static let workPerColumn = 128

    private static let barsPerColumn = 16

    private let id: SwimTrack.ID
    private let scale: TimeScale
    private var bars: [SwimBar] = []
    private var cells: [SwimCell]
    private var longest: [JobRecord?]
    private(set) var work = 0

    init(_ id: SwimTrack.ID, _ scale: TimeScale) {
        self.id = id
        self.scale = scale
        cells = Array(repeating: SwimCell(), count: scale.columns)
        longest = Array(repeating: nil, count: scale.columns)
    }

    mutating func add(_ jobs: JobLine) {
        let limit = work + Self.workPerColumn * scale.columns
        // Local copies, because the visits are closures.
        var builder = self
        jobs.visit { group, isWhole in
            builder.work += 1
            if group.end < scale.start || group.start >= scale.end { return true }
            if isWhole, let column = builder.column(from: group.start, to: group.end) {
                builder.add(jobs[group.number], busy: group.busy, in: column)
                return true
            }
            guard builder.work > limit else { return false }
            if group.number >= jobs.first { builder.add(jobs[group.number]) }
            return true
        } _: { job in
            builder.work += 1
            if job.until >= scale.start, job.since < scale.end { builder.add(job) }
        }
        self = builder
    }

    mutating func add(_ job: RunningJob, on executor: ExecutorID, until now: UInt64) {
        guard job.since < scale.end else { return }
        let record = JobRecord(
            task: job.task, since: job.since, until: now, executor: executor, lane: UInt16(clamping: job.lane), label: job.label)
        let columns = scale.columns(of: record)
        if !columns.isEmpty { bars.append(SwimBar(job: record, isRunning: true, columns: columns)) }
    }

    private mutating func add(_ job: JobRecord) {
        if let column = column(from: job.since, to: job.until) { return add(job, busy: job.duration, in: column) }
        let columns = scale.columns(of: job)
        guard !columns.isEmpty, bars.count < Self.barsPerColumn * scale.columns else { return }
        bars.append(SwimBar(job: job, isRunning: false, columns: columns))
    }

    private mutating func add(_ job: JobRecord, busy: UInt64, in column: Int) {
        cells[column].busy = cells[column].busy.plus(busy)
        cells[column].isDense = true
        if longest[column].map({ job.duration > $0.duration }) ?? true { longest[column] = job }
    }

    /// Gives the column of a job the job's bar, whatever the column's longest job is.
    mutating func prefer(_ job: JobRecord) {
        if let column = column(from: job.since, to: job.until) { longest[column] = job }
    }

    /// The column that contains a span of time; nil if there is none.
    private func column(from start: UInt64, to end: UInt64) -> Int? {
        guard start >= scale.start, end < scale.end else { return nil }
        let column = scale.column(of: start)
        return end < scale.time(of: column + 1) || end == start ? column : nil
    }

    mutating func track() -> SwimTrack {
        let preferred = longest
        for (column, job) in longest.enumerated() {
            if let job { bars.append(SwimBar(job: job, isRunning: false, columns: column..<column + 1)) }
        }
        bars.sort { ($0.job.since, $1.job.until) < ($1.job.since, $0.job.until) }
        for (index, bar) in bars.enumerated() {
            for column in bar.columns {
                let (start, end) = (scale.time(of: column), scale.time(of: column + 1))
                let share = min(bar.job.until, end) - min(max(bar.job.since, start), min(bar.job.until, end))
                let isShort = !bar.isRunning && preferred[column] == bar.job
                // Jobs within a single column were added earlier.
                if !isShort { cells[column].busy = cells[column].busy.plus(share) }
                // A nested body is in front of the outer one.
                if cells[column].bar == nil || share >= cells[column].share {
                    cells[column].bar = index
                    cells[column].share = share
                }
            }
        }
        return SwimTrack(id: id, bars: bars, cells: cells)
    }
}
