import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// Jobs over time: one line per thread of each executor, bars for bodies, thin lines for waits, arrows for the selected chain's hops.
struct TimelineScreen: Screen {
    static let name = ScreenName("Timeline", short: "Time", digit: "4")
    static let modes = [
        KeyMode(
            "Timeline",
            KeyRow.upAndDown("line", "pick a line (or j k, or a click)")
                + KeyRow.sideways("job", "to the job before or after on the line (h l)") + KeyRow.pages + KeyRow.ends + [
                    .opensTask, .dropsSelection,
                    KeyRow(
                        .character("+"), shown: "+ -", footer: "zoom", help: "zoom in and out",
                        command { $0.zoom(to: $0.scale($1).span / 2, $1) }),
                    KeyRow(.character("-"), shown: "+ -", command { $0.zoom(to: $0.scale($1).span * 2, $1) }),
                    KeyRow(
                        .character("H"), shown: "H L", footer: "pan", help: "move the view in time", command { $0.pan(quarters: -1, $1) }),
                    KeyRow(.character("L"), shown: "H L", command { $0.pan(quarters: 1, $1) }),
                    KeyRow(
                        .character("="), shown: "=", footer: "whole", help: "the whole trace", command { screen, _ in screen.view = .whole }
                    ),
                    KeyRow(
                        .character("f"), shown: "f", footer: "follow", help: "follow the latest",
                        command { $0.view = .latest(span: $0.scale($1).span) }),
                    KeyRow(
                        .character("t"), shown: "t", footer: "threads", help: "lines by thread, or by executor",
                        command { screen, _ in screen.changeGrouping() }),
                    KeyRow(
                        .character("c"), shown: "c", help: "time cursor to the job's start (or click the ruler)",
                        command { $0.putTimeCursor(&$1) }),
                ])
    ]

    /// The visible span of time.
    package enum View: Hashable, Sendable {
        /// The whole trace, rounded up to a round span, so that the picture does not shrink with every event.
        case whole
        /// The latest stretch of this many nanoseconds.
        case latest(span: UInt64)
        case fixed(start: UInt64, span: UInt64)
    }

    /// Nanoseconds between two pictures while the user changes neither the view nor the selection.
    static let pause: UInt64 = 100_000_000
    static let leastSpan: UInt64 = 10_000
    /// The largest number of the selected chain's tasks whose hops are drawn.
    static let chainLimit = 512

    private(set) var view = View.whole
    private(set) var grouping = SwimlaneGrouping.executors
    private(set) var picture: Swimlanes?
    /// The track in which the keys move.
    private(set) var track: SwimTrack.ID?
    /// The selected job. Its task is selected too, but a task can run more than once.
    private(set) var job: JobRecord?
    private(set) var pane = ListPane()
    /// The tasks of the selected chain, which is highlighted.
    private(set) var chain: Set<TaskID> = []
    private(set) var body = Rect(column: 0, row: 0, columns: 0, rows: 0)
    private(set) var ruler = Rect(column: 0, row: 0, columns: 0, rows: 0)
    private(set) var names = Rect(column: 0, row: 0, columns: 0, rows: 0)
    private(set) var status = Rect(column: 0, row: 0, columns: 0, rows: 0)
    private var drawn: Drawn?
    /// Whether the view must scroll to the time cursor, which has moved.
    private var seeksTimeCursor = false

    private struct Drawn: Equatable {
        var scale: TimeScale
        var grouping: SwimlaneGrouping
        var eventCount: Int
        var now: UInt64
        var selection: TaskID?
        var time: UInt64
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let (status, above) = body.split(bottom: 2)
        let (top, below) = above.split(top: 1)
        let width = max(12, min(20, body.columns / 6))
        let (names, lanes) = below.split(left: width)
        self.body = body
        self.status = status
        self.names = names
        ruler = top.split(left: width).rest
        pane.layOut(in: lanes.split(right: 1).rest, count: picture?.tracks.count ?? 0)
    }

    mutating func arrange(_ shared: inout SharedState, at time: UInt64) {
        if seeksTimeCursor, !shared.history.isAtLatest { show(shared.store.now, shared) }
        seeksTimeCursor = false
        draw(shared, at: time)
        pane.setCount(picture?.tracks.count ?? 0)
    }

    /// Draws a new picture if it would differ. At most ten times a second while the user changes neither the view nor the selection.
    private mutating func draw(_ shared: SharedState, at time: UInt64) {
        let (store, scale) = (shared.history.latest, self.scale(shared))
        var next = Drawn(
            scale: scale, grouping: grouping, eventCount: store.eventCount, now: store.now, selection: shared.selection, time: time)
        if let drawn, picture != nil {
            let isSameView =
                drawn.grouping == grouping && drawn.selection == shared.selection && (drawn.scale == scale || view != .whole && !isFixed)
            if isSameView, time < drawn.time + Self.pause { return }
            next.time = drawn.time
            if next == drawn { return }
            next.time = time
        }
        drawn = next
        let tasks = shared.selection.flatMap { ChainAnalysis(store).chain(of: $0, limit: Self.chainLimit) }?.tasks ?? []
        chain = Set(tasks)
        picture = Swimlanes(store, scale: scale, grouping: grouping, chain: tasks, selection: shared.selection)
    }

    mutating func restart(_ shared: SharedState) {
        drawn = nil
        seeksTimeCursor = true
    }

    /// Shows the selected task on the track on which it ran.
    mutating func show(_ shared: inout SharedState) {
        guard let task = shared.selection.flatMap({ shared.history.latest.task($0) }), let started = task.started else { return }
        if job?.task != task.id {
            let executor = grouping == .executors ? task.executor : .none
            track = SwimTrack.ID(executor: executor, lane: task.lane)
            job = nil
        }
        show(started, shared)
    }

    /// The row of the selected track. Nil if the picture does not contain the track.
    var row: Int? { track.flatMap { picture?.index(of: $0) } }

    private var isFixed: Bool {
        if case .fixed = view { true } else { false }
    }

    private func scale(_ shared: SharedState) -> TimeScale {
        let (store, columns, hasEnded) = (shared.history.latest, pane.area.columns, shared.hasEnded)
        switch view {
        case .whole:
            let now = max(store.now, 1_000_000)
            return TimeScale(start: 0, span: hasEnded ? now + now / 50 : TimeScale.round(above: now), columns: columns)
        case .latest(let span):
            // The view moves by whole columns, because otherwise every bar would flicker at its edges.
            let column = max(1, span / UInt64(max(1, columns)))
            let end = (store.now / column + 2) * column
            return TimeScale(
                start: end > column * UInt64(columns) ? end - column * UInt64(columns) : 0, span: column * UInt64(columns), columns: columns
            )
        case .fixed(let start, let span):
            return TimeScale(start: start, span: span, columns: columns)
        }
    }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) {
        guard let picture, !picture.tracks.isEmpty else { return }
        if movement == .left || movement == .right { return selectJob(isNext: movement == .right, &shared) }
        pane.mark(row)
        guard let row = pane.target(of: movement) else { return }
        track = picture.tracks[row].id
        pane.show(row)
    }

    mutating func open(_ shared: inout SharedState) {
        if let task = shared.selection { shared.open(task) }
    }

    /// The selected job if it still runs, otherwise its task. Without a selection, the executor of the line.
    func waiting(_ shared: SharedState) -> WaitChain.Subject? {
        if let job, job.task == .none, let running = shared.store.executor(job.executor)?.running,
            let same = running.first(where: { $0.since == job.since && $0.task == job.task })
        {
            return .job(same, on: job.executor)
        }
        if let task = shared.selection { return .task(task) }
        return track.flatMap { $0.executor == .none ? nil : .executor($0.executor) }
    }

    mutating func leave(_ shared: inout SharedState) -> Bool {
        shared.selection = nil
        (job, track) = (nil, nil)
        return true
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) {
        pane.scroll(by: rows)
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> [Effect] {
        guard let picture else { return [] }
        if ruler.contains(point) {
            shared.go(toTime: picture.scale.time(of: point.column - ruler.left))
            return []
        }
        let line = Point(column: pane.area.left, row: point.row)
        guard names.contains(point) || pane.area.contains(point), let row = pane.row(at: line) else { return [] }
        track = picture.tracks[row].id
        guard let bar = picture.bar(track: row, column: point.column - pane.area.left) else { return [] }
        if bar.job == job, shared.selection == bar.job.task { open(&shared) }
        select(bar.job, &shared)
        return []
    }

    private mutating func changeGrouping() {
        grouping = grouping == .executors ? .threads : .executors
        track = nil
    }

    private mutating func putTimeCursor(_ shared: inout SharedState) {
        guard let job else {
            shared.notice = "Pick a job first, with the arrows or a click: the time cursor goes to its beginning."
            return
        }
        shared.go(toTime: job.since)
    }

    // MARK: Moving in time

    private mutating func zoom(to span: UInt64, _ shared: SharedState) {
        let (scale, history) = (self.scale(shared), shared.history)
        let span = max(Self.leastSpan, min(span, TimeScale.round(above: max(history.latest.now, 1_000_000)) * 2))
        if case .latest = view {
            view = .latest(span: span)
            return
        }
        // The selected job keeps its column. Without a selection, the middle of the view does.
        let selected = job?.since ?? shared.selection.flatMap { history.latest.task($0)?.started }
        let fixed = selected.flatMap { $0 >= scale.start && $0 < scale.end ? $0 : nil } ?? scale.start + scale.span / 2
        let before = UInt64(Double(fixed - scale.start) / Double(scale.span) * Double(span))
        view = .fixed(start: fixed > before ? fixed - before : 0, span: span)
    }

    private mutating func pan(quarters: Int, _ shared: SharedState) {
        let columns = quarters * pane.area.columns / 4
        let (scale, history) = (self.scale(shared), shared.history)
        let distance = UInt64(Double(abs(columns)) / Double(scale.columns) * Double(scale.span))
        let now = history.latest.now
        let last = now > scale.span / 2 ? now - scale.span / 2 : 0
        let start =
            columns < 0 ? (scale.start > distance ? scale.start - distance : 0) : min(scale.start + distance, max(last, scale.start))
        view = .fixed(start: start, span: scale.span)
    }

    /// Moves the view as little as possible to show a time.
    private mutating func show(_ time: UInt64, _ shared: SharedState) {
        let scale = self.scale(shared)
        guard time < scale.start || time >= scale.end else { return }
        view = .fixed(start: time > scale.span / 3 ? time - scale.span / 3 : 0, span: scale.span)
    }

    // MARK: Jobs

    private mutating func select(_ job: JobRecord, _ shared: inout SharedState) {
        self.job = job
        show(job.since, shared)
        if job.task != .none, shared.history.latest.row(of: job.task) != nil { shared.follow(job.task) }
    }

    /// Selects the next or the previous job on the selected track, visible or not. Without a selection, the first visible job.
    private mutating func selectJob(isNext: Bool, _ shared: inout SharedState) {
        guard let picture else { return }
        guard let row else {
            track = picture.tracks.first?.id
            return
        }
        let track = picture.tracks[row]
        guard let job = job ?? selectedJob(on: track, shared) else {
            if let first = isNext ? track.bars.first : track.bars.last { select(first.job, &shared) }
            return
        }
        var found: JobRecord?
        func consider(_ other: JobRecord) {
            guard track.has(other), other.since != job.since || other.task != job.task, (other.since >= job.since) == isNext else { return }
            if let best = found, isNext ? other.since >= best.since : other.since <= best.since { return }
            found = other
        }
        shared.history.latest.jobs.forEach(in: isNext ? job.since...max(job.since, shared.history.latest.now) : 0...job.since) { other in
            consider(other)
            return true
        }
        for bar in track.bars where bar.isRunning { consider(bar.job) }
        if let found { select(found, &shared) }
    }

    private func selectedJob(on track: SwimTrack, _ shared: SharedState) -> JobRecord? {
        track.bars.first { $0.job.task != .none && $0.job.task == shared.selection }?.job
    }
}

extension SwimTrack {
    fileprivate func has(_ job: JobRecord) -> Bool {
        id.lane == Int(job.lane) && (id.executor == .none || id.executor == job.executor)
    }
}
