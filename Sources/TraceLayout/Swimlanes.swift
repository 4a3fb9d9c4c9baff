import TaskEvents
import TraceStore
import TraceTransport

/// The visible lines of a timeline for a span of time: running jobs, the depths of queues, and the hops of one job, also through blocks.
///
/// Its work depends on the number of cells and not on the number of jobs: jobs within a column are read as sums of groups.
package struct Swimlanes: Sendable {
    /// The largest number of a task's hops that are searched for those of the selected job.
    private static let hopLimit = 4096

    package let scale: TimeScale
    /// The visible rows.
    package let rows: Range<Int>
    /// One for each visible row.
    package private(set) var tracks: [SwimTrack] = []
    package private(set) var arrows: [SwimArrow] = []
    /// The number of jobs and groups that were examined.
    package private(set) var work = 0

    /// - Parameter selected: the job whose hops are drawn. It is preferred where only one job fits.
    package init(_ store: TraceStore, _ index: SwimIndex, rows: Range<Int>, scale: TimeScale, selected: JobRecord? = nil) {
        self.scale = scale
        self.rows = rows.clamped(to: index.rows.indices)
        let running = Dictionary(grouping: store.running, by: \.executor)
        for row in self.rows {
            let id = index.rows[row]
            if id.isQueue {
                tracks.append(queue(id, index, store))
                continue
            }
            var builder = SwimTrackBuilder(id, scale)
            if let jobs = index.jobs(of: id) { builder.add(jobs) }
            for (executor, job) in id.executor == .none ? store.running : running[id.executor] ?? [] where id.runs(on: job.lane) {
                builder.add(job, on: executor, until: store.now)
            }
            if let selected, index.row(of: selected.executor, lane: Int(selected.lane)) == row { builder.prefer(selected) }
            tracks.append(builder.track())
            work += builder.work
        }
        if let selected { arrows = arrows(of: selected, index, store) }
    }

    package func track(atRow row: Int) -> SwimTrack? {
        rows.contains(row) ? tracks[row - rows.lowerBound] : nil
    }

    package func bar(row: Int, column: Int) -> SwimBar? {
        guard let track = track(atRow: row), track.cells.indices.contains(column) else { return nil }
        return track.cells[column].bar.map { track.bars[$0] }
    }

    // MARK: Queues

    private mutating func queue(_ id: SwimTrack.ID, _ index: SwimIndex, _ store: TraceStore) -> SwimTrack {
        var track = SwimTrack(id: id)
        track.depths = Array(repeating: nil, count: scale.columns)
        guard let (line, isCut) = index.depths(of: id.executor) else { return track }
        var depth: UInt32? = isCut ? nil : 0
        // The first column that does not yet have the depth at its beginning.
        var next = 0
        var work = 0
        let end = min(scale.columns, scale.column(of: store.now) + 1)
        func reach(_ column: Int) {
            while next <= min(column, end - 1) {
                track.depths[next] = depth
                next += 1
            }
        }
        func note(_ greatest: UInt32, last: UInt32, in column: Int) {
            if column >= 0 {
                reach(column)
                if column < end { track.depths[column] = max(track.depths[column] ?? 0, greatest) }
            }
            depth = last
        }
        line.visit { group, isWhole in
            work += 1
            if group.start >= scale.end { return true }
            let column = scale.column(of: group.start)
            guard isWhole, column == scale.column(of: group.end) else { return false }
            note(group.greatest, last: group.last, in: column)
            return true
        } _: { step in
            work += 1
            if step.at < scale.end { note(step.depth, last: step.depth, in: scale.column(of: step.at)) }
        }
        reach(end - 1)
        self.work += work
        return track
    }

    // MARK: Arrows

    /// The hop that enqueued the job, the first hop after the job's end, and the lines to and from blocks.
    private func arrows(of job: JobRecord, _ index: SwimIndex, _ store: TraceStore) -> [SwimArrow] {
        guard let task = store.task(job.task), let here = index.row(of: job.executor, lane: Int(job.lane)) else { return [] }
        var (into, out): (Hop?, Hop?)
        for hop in task.hops.prefix(Self.hopLimit) {
            if hop.at <= job.since { into = hop.to == job.executor ? hop : nil } else if hop.at >= job.until, out == nil { out = hop }
        }
        var arrows: [SwimArrow] = []
        if let into, into.from != into.to, into.from != .none {
            let before = task.firstAntecedent.flatMap { store.task($0) }
            if let from = row(of: into.from, lane: before?.lane, index), from != here {
                let wait = into.wait == nil ? 0..<0 : scale.columns(from: into.at, to: job.since)
                arrows.append(SwimArrow(from: from, to: here, column: scale.column(of: into.at), wait: wait))
            }
        }
        if let out, out.from == job.executor, out.from != out.to, let to = row(of: out.to, lane: task.lane, index), to != here {
            let wait = out.wait.map { scale.columns(from: out.at, to: out.at.plus($0)) } ?? 0..<0
            arrows.append(SwimArrow(from: here, to: to, column: scale.column(of: out.at), wait: wait))
        }
        arrows += blockArrows(of: job, task, at: here, index, store)
        return arrows.filter { (0..<scale.columns).contains($0.column) }
    }

    /// The executor's row for that thread, or else its first row.
    func row(of executor: ExecutorID, lane: Int?, _ index: SwimIndex) -> Int? {
        lane.flatMap { index.row(of: executor, lane: $0) } ?? index.firstRow(of: executor)
    }
}

extension SwimTrack.ID {
    fileprivate func runs(on lane: Int) -> Bool {
        switch self {
        case .executor: true
        case .thread(_, let own): own == lane
        case .queue: false
        }
    }
}

extension TimeScale {
    func columns(of job: JobRecord) -> Range<Int> {
        columns(from: job.since, to: job.until)
    }

    /// The visible columns from `start` to `end`; at least one if any part is visible.
    package func columns(from start: UInt64, to end: UInt64) -> Range<Int> {
        guard end >= self.start, start < self.end else { return 0..<0 }
        let first = max(0, column(of: start))
        let last = min(columns - 1, column(of: max(start, end > start ? end - 1 : end)))
        return first..<max(first, last) + 1
    }
}
