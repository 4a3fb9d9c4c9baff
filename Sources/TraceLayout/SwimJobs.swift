import TaskEvents
import TraceStore
import TraceTransport

/// Groups jobs by line. Up to a hundred thousand jobs may be shorter than a column, so each column keeps only their sum and the longest of
/// them.
struct SwimJobs {
    struct Line {
        /// Jobs over several columns, and the longest job of each column.
        var bars: [SwimBar] = []
        var cells: [SwimCell]
        fileprivate var greatest: [JobRecord?]
    }

    private let scale: TimeScale
    private let grouping: SwimlaneGrouping
    private let selection: TaskID?
    private var lines: [Line] = []
    private var ids: [SwimTrack.ID] = []
    private var indices: [SwimTrack.ID: Int] = [:]
    /// The line of the last job. Consecutive jobs are often on one line.
    private var last: (executor: ExecutorID, lane: UInt16, index: Int)?
    /// The column of the last job that fitted into one, and the column's time.
    private var near: (column: Int, start: UInt64, end: UInt64)?
    private(set) var count = 0

    init(scale: TimeScale, grouping: SwimlaneGrouping, selection: TaskID?) {
        self.scale = scale
        self.grouping = grouping
        self.selection = selection
    }

    mutating func add(_ job: JobRecord, isRunning: Bool) {
        count += 1
        let index = line(of: job)
        // Jobs are ordered by time, so most jobs are in the same column as the previous one.
        if let near, !isRunning, job.since >= near.start, job.until < near.end {
            addUp(job, in: near.column, ofLine: index)
            return
        }
        let columns = scale.columns(of: job)
        guard columns.count == 1, !isRunning, job.since >= scale.start, job.until <= scale.end else {
            lines[index].bars.append(SwimBar(job: job, isRunning: isRunning, columns: columns))
            // A job that the window's edge cuts down to one column is added here.
            if columns.count == 1, let column = columns.first {
                let shown = min(job.until, scale.end) - max(min(job.since, scale.end), scale.start)
                lines[index].cells[column].busy = lines[index].cells[column].busy.plus(shown)
            }
            return
        }
        let column = columns.lowerBound
        near = (column, scale.time(of: column), scale.time(of: column + 1))
        addUp(job, in: column, ofLine: index)
    }

    private mutating func addUp(_ job: JobRecord, in column: Int, ofLine index: Int) {
        lines[index].cells[column].busy = lines[index].cells[column].busy.plus(job.duration)
        if let known = lines[index].greatest[column] {
            guard known.task != selection || selection == nil, job.duration > known.duration || job.task == selection else { return }
        }
        lines[index].greatest[column] = job
    }

    func gathered() -> [SwimTrack.ID: Line] {
        var gathered: [SwimTrack.ID: Line] = [:]
        for (index, id) in ids.enumerated() {
            var line = lines[index]
            for (column, job) in line.greatest.enumerated() {
                if let job { line.bars.append(SwimBar(job: job, isRunning: false, columns: column..<column + 1)) }
            }
            gathered[id] = line
        }
        return gathered
    }

    private mutating func line(of job: JobRecord) -> Int {
        if let last, last.executor == job.executor, last.lane == job.lane { return last.index }
        let id = SwimTrack.ID(executor: grouping == .executors ? job.executor : .none, lane: Int(job.lane))
        let index = indices[id] ?? lines.count
        if index == lines.count {
            indices[id] = index
            ids.append(id)
            let cells = [SwimCell](repeating: SwimCell(), count: scale.columns)
            lines.append(Line(cells: cells, greatest: Array(repeating: nil, count: scale.columns)))
        }
        last = (job.executor, job.lane, index)
        return index
    }
}
