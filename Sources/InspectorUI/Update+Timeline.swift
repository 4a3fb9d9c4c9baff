import TaskEvents
import TerminalCanvas
import TraceLayout
import TraceStore

/// What keys and mouse do on the Timeline screen.
extension Model {
    private var lanesArea: Rect { TimelineScreen.areas(areas.body).lanes }
    private var timeScale: TimeScale { swimlanes.scale(history.latest, columns: lanesArea.columns, hasEnded: hasEnded) }

    mutating func arrangeTimeline(at time: UInt64) {
        swimlanes.arrange(history.latest, scale: timeScale, height: lanesArea.rows, selection: selection, at: time)
    }

    mutating func perform(_ command: TimelineCommand) {
        switch command {
        case .zoomIn: zoom(to: timeScale.span / 2)
        case .zoomOut: zoom(to: timeScale.span * 2)
        case .panLeft: pan(by: -lanesArea.columns / 4)
        case .panRight: pan(by: lanesArea.columns / 4)
        case .whole: swimlanes.view = .whole
        case .follow: swimlanes.view = .latest(span: timeScale.span)
        case .threads:
            swimlanes.grouping = swimlanes.grouping == .executors ? .threads : .executors
            swimlanes.track = nil
        case .cursor:
            guard let job = swimlanes.job else {
                notice = "Pick a job first, with the arrows or a click: the time cursor goes to its beginning."
                return
            }
            go(toTime: job.since)
        }
    }

    mutating func moveInTimeline(_ movement: Movement) {
        guard let picture = swimlanes.picture, !picture.tracks.isEmpty else { return }
        switch movement {
        case .left, .right:
            selectJob(isNext: movement == .right)
        case .up, .down, .pageUp, .pageDown, .first, .last:
            let start = swimlanes.row ?? (movement == .down ? -1 : 0)
            guard let row = movement.row(from: start, count: picture.tracks.count, page: lanesArea.rows) else { return }
            swimlanes.track = picture.tracks[row].id
            swimlanes.window.show(row, count: picture.tracks.count, height: lanesArea.rows)
        }
    }

    mutating func openInTimeline() {
        if let task = selection { open(task) }
    }

    mutating func leaveTimeline() {
        selection = nil
        tasks.selectedRow = nil
        swimlanes.job = nil
        swimlanes.track = nil
    }

    mutating func scrollTimeline(by rows: Int) {
        swimlanes.window.setTop(swimlanes.window.top + rows, count: swimlanes.picture?.tracks.count ?? 0, height: lanesArea.rows)
    }

    mutating func clickTimeline(_ point: Point) {
        guard let picture = swimlanes.picture else { return }
        let areas = TimelineScreen.areas(areas.body)
        if areas.ruler.contains(point) {
            go(toTime: picture.scale.time(of: point.column - areas.ruler.left))
            return
        }
        let row = swimlanes.window.top + point.row - areas.lanes.top
        guard picture.tracks.indices.contains(row), areas.lanes.contains(point) || areas.names.contains(point) else { return }
        swimlanes.track = picture.tracks[row].id
        guard let bar = picture.bar(track: row, column: point.column - areas.lanes.left) else { return }
        if bar.job == swimlanes.job, selection == bar.job.task { openInTimeline() }
        select(bar.job)
    }

    /// Brings the selected task into sight, on the line it ran on.
    mutating func showSelectedJob() {
        guard let task = selection.flatMap({ history.latest.task($0) }), let started = task.started else { return }
        if swimlanes.job?.task != task.id {
            let executor = swimlanes.grouping == .executors ? task.executor : .none
            swimlanes.track = SwimTrack.ID(executor: executor, lane: task.lane)
            swimlanes.job = nil
        }
        show(started)
    }

    // MARK: Moving in time

    private mutating func zoom(to span: UInt64) {
        let scale = timeScale
        let span = max(SwimlanesState.leastSpan, min(span, TimeScale.round(above: max(history.latest.now, 1_000_000)) * 2))
        if case .latest = swimlanes.view {
            swimlanes.view = .latest(span: span)
            return
        }
        // What is selected stays where it is; without a selection the middle does.
        let selected = swimlanes.job?.since ?? selection.flatMap { history.latest.task($0)?.started }
        let fixed = selected.flatMap { $0 >= scale.start && $0 < scale.end ? $0 : nil } ?? scale.start + scale.span / 2
        let before = UInt64(Double(fixed - scale.start) / Double(scale.span) * Double(span))
        swimlanes.view = .fixed(start: fixed > before ? fixed - before : 0, span: span)
    }

    private mutating func pan(by columns: Int) {
        let scale = timeScale
        let distance = UInt64(Double(abs(columns)) / Double(scale.columns) * Double(scale.span))
        let now = history.latest.now
        let last = now > scale.span / 2 ? now - scale.span / 2 : 0
        let start =
            columns < 0 ? (scale.start > distance ? scale.start - distance : 0) : min(scale.start + distance, max(last, scale.start))
        swimlanes.view = .fixed(start: start, span: scale.span)
    }

    /// The cursor has moved in time, and the view goes with it.
    mutating func showTimeCursor() {
        if !history.isAtLatest { show(store.now) }
    }

    /// Moves the view no more than shows a time.
    private mutating func show(_ time: UInt64) {
        let scale = timeScale
        guard time < scale.start || time >= scale.end else { return }
        swimlanes.view = .fixed(start: time > scale.span / 3 ? time - scale.span / 3 : 0, span: scale.span)
    }

    // MARK: Jobs

    private mutating func select(_ job: JobRecord) {
        swimlanes.job = job
        show(job.since)
        if job.task != .none, history.latest.row(of: job.task) != nil { follow(job.task) }
    }

    /// The next or the previous job on the selected line, in sight or not; the first in sight where none is selected.
    private mutating func selectJob(isNext: Bool) {
        guard let picture = swimlanes.picture else { return }
        guard let row = swimlanes.row else {
            swimlanes.track = picture.tracks.first?.id
            return
        }
        let track = picture.tracks[row]
        guard let job = swimlanes.job ?? selectedJob(on: track) else {
            if let first = isNext ? track.bars.first : track.bars.last { select(first.job) }
            return
        }
        var found: JobRecord?
        func consider(_ other: JobRecord) {
            guard track.has(other), other.since != job.since || other.task != job.task, (other.since >= job.since) == isNext else { return }
            if let best = found, isNext ? other.since >= best.since : other.since <= best.since { return }
            found = other
        }
        history.latest.jobs.forEach(in: isNext ? job.since...max(job.since, history.latest.now) : 0...job.since) { other in
            consider(other)
            return true
        }
        for bar in track.bars where bar.isRunning { consider(bar.job) }
        if let found { select(found) }
    }

    private func selectedJob(on track: SwimTrack) -> JobRecord? {
        track.bars.first { $0.job.task != .none && $0.job.task == selection }?.job
    }
}

extension SwimTrack {
    fileprivate func has(_ job: JobRecord) -> Bool {
        id.lane == Int(job.lane) && (id.executor == .none || id.executor == job.executor)
    }
}
