import TaskEvents
import TraceStore
import TraceTransport

/// The meaning of a timeline's lanes.
package enum SwimlaneGrouping: Hashable, Sendable {
    /// One lane per executor, main first, with a track for each thread that ran its jobs.
    case executors
    /// One lane per thread.
    case threads
}

/// A line of a timeline: the jobs of one executor on one thread, or of one thread.
package struct SwimTrack: Sendable {
    /// The identity of a track, which stays the same while the view moves.
    package struct ID: Hashable, Sendable {
        /// `.none` for a thread's line.
        package var executor: ExecutorID
        /// The thread's lane. Nil for the line of the executor's queue.
        package var lane: Int?

        package init(executor: ExecutorID, lane: Int?) {
            self.executor = executor
            self.lane = lane
        }
    }

    package var id: ID
    /// Whether the track is the first of its executor.
    package var isFirst: Bool
    /// Ordered by start time. Of the jobs shorter than a column, only the longest in each column is kept.
    package var bars: [SwimBar] = []
    /// One element per column.
    package var cells: [SwimCell]
}

/// A job on its track.
package struct SwimBar: Hashable, Sendable {
    package var job: JobRecord
    /// Whether the job has not ended. Its `until` is then the time of the picture.
    package var isRunning: Bool
    /// The visible columns that the job covers at least in part.
    package var columns: Range<Int>
}

/// One column of a track.
package struct SwimCell: Hashable, Sendable {
    /// Nanoseconds of the column in which a job ran.
    package var busy: UInt64 = 0
    /// The index of the bar with the largest part of these nanoseconds.
    package var bar: Int?
    /// Whether a job waited in the queue and none ran.
    package var isWaiting = false
}

/// A hop of the selected chain: a line from one track to another.
package struct SwimArrow: Hashable, Sendable {
    package var task: TaskID
    /// Indices of tracks.
    package var from: Int
    package var to: Int
    package var column: Int
}

/// The jobs of a time span, one line per track: running jobs, waiting jobs, and the hops of one chain.
package struct Swimlanes: Sendable {
    package let scale: TimeScale
    package let grouping: SwimlaneGrouping
    package private(set) var tracks: [SwimTrack] = []
    package private(set) var arrows: [SwimArrow] = []

    /// The largest number of visible jobs for which waits are computed. With more jobs, waits are too short to be visible.
    private static let waitLimit = 20_000

    /// - Parameters:
    ///   - chain: the tasks whose hops are drawn.
    ///   - selection: the preferred task where only one fits.
    package init(
        _ store: TraceStore, scale: TimeScale, grouping: SwimlaneGrouping, chain: [TaskID] = [], selection: TaskID? = nil
    ) {
        self.scale = scale
        self.grouping = grouping
        var jobs = SwimJobs(scale: scale, grouping: grouping, selection: selection)
        let window = scale.start...max(scale.start, scale.end - 1)
        store.jobs.forEach(in: window) { job in
            jobs.add(job, isRunning: false)
            return true
        }
        for executor in store.executors {
            for running in executor.running where running.since < scale.end {
                let job = JobRecord(
                    task: running.task, since: running.since, until: store.now, executor: executor.id,
                    lane: UInt16(clamping: running.lane), label: running.label)
                jobs.add(job, isRunning: true)
            }
        }
        place(jobs.gathered(), in: store)
        for index in tracks.indices { Self.fill(&tracks[index], scale, waitsOf: jobs.count > Self.waitLimit ? nil : store) }
        arrows = chain.flatMap { arrows(of: $0, in: store) }
    }

    package func index(of id: SwimTrack.ID) -> Int? {
        tracks.firstIndex { $0.id == id }
    }

    package func bar(track: Int, column: Int) -> SwimBar? {
        guard tracks.indices.contains(track), tracks[track].cells.indices.contains(column) else { return nil }
        return tracks[track].cells[column].bar.map { tracks[track].bars[$0] }
    }

    // MARK: Tracks

    private mutating func place(_ jobs: [SwimTrack.ID: SwimJobs.Line], in store: TraceStore) {
        let nothing = [SwimCell](repeating: SwimCell(), count: scale.columns)
        func append(_ id: SwimTrack.ID, isFirst: Bool) {
            let bars = (jobs[id]?.bars ?? []).sorted { ($0.job.since, $1.job.until) < ($1.job.since, $0.job.until) }
            tracks.append(SwimTrack(id: id, isFirst: isFirst, bars: bars, cells: jobs[id]?.cells ?? nothing))
        }
        switch grouping {
        case .threads:
            for id in jobs.keys.sorted(by: { $0.lane ?? 0 < $1.lane ?? 0 }) { append(id, isFirst: true) }
        case .executors:
            let known = Dictionary(grouping: jobs.keys, by: \.executor)
            for executor in store.executors {
                let first = tracks.count
                for id in (known[executor.id] ?? []).sorted(by: { $0.lane ?? 0 < $1.lane ?? 0 }) {
                    append(id, isFirst: tracks.count == first)
                }
                guard let oldest = executor.queue.first(where: { _ in true }), oldest.since < scale.end else { continue }
                append(SwimTrack.ID(executor: executor.id, lane: nil), isFirst: tracks.count == first)
                for column in scale.columns(from: oldest.since, to: store.now) { tracks[tracks.count - 1].cells[column].isWaiting = true }
            }
        }
    }

    /// A static method, because one of a value would copy all tracks for each.
    private static func fill(_ track: inout SwimTrack, _ scale: TimeScale, waitsOf store: TraceStore?) {
        var shares = [UInt64](repeating: 0, count: scale.columns)
        for (index, bar) in track.bars.enumerated() {
            for column in bar.columns {
                let (start, end) = (scale.time(of: column), scale.time(of: column + 1))
                let share = min(bar.job.until, end) - min(max(bar.job.since, start), min(bar.job.until, end))
                // Jobs within a single column were added earlier.
                if bar.columns.count > 1 { track.cells[column].busy = track.cells[column].busy.plus(share) }
                // A nested body is in front of the outer one.
                if track.cells[column].bar == nil || share >= shares[column] {
                    track.cells[column].bar = index
                    shares[column] = share
                }
            }
        }
        guard let store else { return }
        for bar in track.bars {
            guard let task = store.task(bar.job.task), task.started == bar.job.since, let queued = task.queued else { continue }
            for column in scale.columns(from: queued, to: bar.job.since) where track.cells[column].bar == nil {
                track.cells[column].isWaiting = true
            }
        }
    }

    // MARK: Arrows

    private func arrows(of id: TaskID, in store: TraceStore) -> [SwimArrow] {
        guard let task = store.task(id) else { return [] }
        return task.hops.compactMap { hop in
            let column = scale.column(of: hop.at)
            guard (0..<scale.columns).contains(column), hop.from != .none else { return nil }
            let before = task.firstAntecedent.flatMap { store.task($0) }
            guard let from = track(of: hop.from, lane: before?.lane), let to = track(of: hop.to, lane: task.lane), from != to else {
                return nil
            }
            return SwimArrow(task: id, from: from, to: to, column: column)
        }
    }

    /// The executor's track on that thread, or else the executor's first track.
    private func track(of executor: ExecutorID, lane: Int?) -> Int? {
        switch grouping {
        case .threads: tracks.firstIndex { $0.id.lane == lane }
        case .executors:
            tracks.firstIndex { $0.id == SwimTrack.ID(executor: executor, lane: lane) } ?? tracks.firstIndex { $0.id.executor == executor }
        }
    }
}

extension TimeScale {
    func columns(of job: JobRecord) -> Range<Int> {
        columns(from: job.since, to: job.until)
    }

    /// The visible columns from `start` to `end`; at least one if any part is visible.
    func columns(from start: UInt64, to end: UInt64) -> Range<Int> {
        guard end >= self.start, start < self.end else { return 0..<0 }
        let first = max(0, column(of: start))
        let last = min(columns - 1, column(of: max(start, end > start ? end - 1 : end)))
        return first..<max(first, last) + 1
    }
}
