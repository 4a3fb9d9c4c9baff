import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// Jobs over time: one line per serial executor and per thread of a pool, the depths of queues, and the hops of the selected job. A map of
/// the whole trace is above.
struct TimelineScreen: Layer {
    static let name = ScreenName("Timeline", short: "Time", shortcut: "4")
    static let modes = [
        KeyMode(
            "Timeline",
            KeyRow.upAndDown("row", "pick a row (or j k, or a click)")
                + KeyRow.sideways("job", "to the job before or after in the row (h l)") + KeyRow.pages + KeyRow.ends + [
                    .opensTask, .dropsSelection,
                    KeyRow(
                        .character("+"), shown: "+ -", footer: "zoom", help: "zoom in and out (or drag on the ruler)",
                        view { $0.zoom(to: $0.scale($1).span / 2, $1) }),
                    KeyRow(.character("-"), shown: "+ -", view { $0.zoom(to: $0.scale($1).span * 2, $1) }),
                    KeyRow(
                        .character("H"), shown: "H L", footer: "pan", help: "move the view in time (or drag the rows, or the map)",
                        view { $0.pan(quarters: -1, $1) }),
                    KeyRow(.character("L"), shown: "H L", view { $0.pan(quarters: 1, $1) }),
                    KeyRow(
                        .character("="), shown: "=", footer: "whole", help: "the whole trace", view { screen, _ in screen.view = .whole }),
                    KeyRow(
                        .character("f"), shown: "f", footer: "follow", help: "follow the latest",
                        view { $0.view = .latest(span: $0.scale($1).span) }),
                    KeyRow(
                        .character("t"), shown: "t", footer: "threads", help: "rows by thread, or by executor",
                        view { screen, _ in screen.changeGrouping() }),
                    KeyRow(
                        .character("c"), shown: "c", help: "time cursor to the job's start (or click the ruler)",
                        answer { $0.putTimeCursor(&$1) }),
                ])
    ]
    static let facets = Facets<Self>(
        drag: .init(move: { $0.drag(to: $1, &$2) }, release: { $0.mouseUp(&$1) }),
        detail: .init(
            rowsAbove: { headRows + statusRows + $0.index.rows.count * usualLaneHeight }, isShown: { $0.hasTask && !$0.index.rows.isEmpty }),
        waiting: { $0.waiting($1) })

    /// A command that changes the view or the lanes, if there are any.
    private static func view(_ run: @escaping @Sendable (inout TimelineScreen, SharedState) -> Void) -> Command {
        command(changing: { timeline, _ in timeline.index.rows.isEmpty ? [] : [timeline.view, timeline.grouping] as [AnyHashable] }) {
            run(&$0, $1)
        }
    }

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
    /// The rows of the map and the ruler, and those below the lanes.
    private static let headRows = 2
    private static let statusRows = 2
    /// The largest number of screen rows per lane, and the number above a detail.
    private static let greatestLaneHeight = 9
    private static let usualLaneHeight = 3
    /// The largest number of the selected chain's tasks that are highlighted.
    static let chainLimit = 512
    /// The largest number of new jobs that a frame takes over.
    static let jobsPerFrame = 1 << 15

    var view = View.whole
    private(set) var grouping = SwimlaneGrouping.executors
    private(set) var index = SwimIndex(.executors)
    private(set) var picture: Swimlanes?
    /// The average number of jobs that ran at once, over the whole trace, by column.
    private(set) var loads: [Double] = []
    /// The lane in which the keys move.
    var track: SwimTrack.ID?
    /// The selected job. Its task is selected too, but a task can run more than once.
    private(set) var job: JobRecord?
    var pane = ListPane()
    /// The tasks of the selected chain, which is highlighted.
    private(set) var chain: Set<TaskID> = []
    private(set) var areas = Areas()
    /// The part of the screen that the mouse holds.
    var grip: Grip?
    private var drawn: Drawn?
    /// Whether a task is selected, whose detail stands below few lanes. Without one, the lanes have that room, too.
    private var hasTask = false
    /// Whether the view must scroll to the time cursor, which has moved.
    private var seeksTimeCursor = false
    /// The task whose first job is to be selected.
    private var sought: TaskID?

    struct Areas: Hashable, Sendable {
        var body = Rect.empty
        var map = Rect.empty
        var ruler = Rect.empty
        var names = Rect.empty
        var status = Rect.empty
    }

    private struct Drawn: Equatable {
        var scale: TimeScale
        var rows: Range<Int>
        var grouping: SwimlaneGrouping
        var eventCount: Int
        var now: UInt64
        var selection: TaskID?
        var job: JobRecord?
        var time: UInt64
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let (status, above) = body.split(bottom: Self.statusRows)
        let (top, below) = above.split(top: Self.headRows)
        let width = max(12, min(26, body.columns / 6))
        let (names, lanes) = below.split(left: width)
        let line = top.split(left: width).rest.split(right: 1).rest
        areas = Areas(body: body, map: line.row(0), ruler: line.row(1), names: names, status: status)
        layOutLanes(in: lanes.split(right: 1).rest)
    }

    /// Few lanes are higher, so that they use the room.
    private mutating func layOutLanes(in area: Rect) {
        let height = max(1, min(Self.greatestLaneHeight, area.rows / max(1, index.rows.count)))
        pane.layOut(in: area, count: index.rows.count, rowHeight: height, hasScrollBar: false)
    }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        hasTask = shared.selection != nil
        catchUp(shared)
        if seeksTimeCursor, !shared.history.isAtLatest { show(shared.store.now, shared) }
        seeksTimeCursor = false
        findSought(&shared)
        if case .fixed(let start, let span) = view { shared.shownTimes = start...start + span } else { shared.shownTimes = nil }
        draw(shared, at: time)
    }

    func isSettled(_ shared: SharedState) -> Bool { index.isUpToDate(with: shared.history.latest) }

    private mutating func catchUp(_ shared: SharedState) {
        index.catchUp(with: shared.history.latest, limit: Self.jobsPerFrame)
        layOutLanes(in: pane.area)
    }

    /// Draws a new picture if it would differ. At most ten times a second while the user changes neither the view nor the selection.
    private mutating func draw(_ shared: SharedState, at time: UInt64) {
        let (store, scale) = (shared.history.latest, self.scale(shared))
        var next = Drawn(
            scale: scale, rows: pane.rows, grouping: grouping, eventCount: store.eventCount, now: store.now, selection: shared.selection,
            job: job, time: time)
        if let drawn, picture != nil {
            let isSameView =
                drawn.grouping == grouping && drawn.selection == shared.selection && drawn.job == job && drawn.rows == pane.rows
                && (drawn.scale == scale || view != .whole && !isFixed)
            if isSameView, time < drawn.time + Self.pause { return }
            next.time = drawn.time
            if next == drawn { return }
            next.time = time
        }
        drawn = next
        chain = Set(shared.selection.flatMap { ChainAnalysis(store).chain(of: $0, limit: Self.chainLimit) }?.tasks ?? [])
        picture = Swimlanes(store, index, rows: pane.rows, scale: scale, selected: job)
        let whole = wholeScale(shared)
        loads = store.jobs.loads.load(until: whole.end, in: whole.columns)
        for running in store.running {
            for column in whole.columns(from: running.job.since, to: store.now) { loads[column] += 1 }
        }
    }

    mutating func restart(_ shared: SharedState) {
        drawn = nil
        seeksTimeCursor = true
    }

    /// Shows the selected task's first job.
    mutating func show(_ shared: inout SharedState) {
        sought = job?.task == shared.selection ? nil : shared.selection
        catchUp(shared)
        findSought(&shared)
    }

    /// Selects the first job of the task that another screen has selected, and its lane.
    private mutating func findSought(_ shared: inout SharedState) {
        guard let id = sought, let task = shared.history.latest.task(id), let started = task.started else { return }
        let isUpToDate = index.isUpToDate(with: shared.history.latest)
        let running = shared.history.latest.running.first { $0.job.task == id && $0.job.since == started }
        let record = running.map { running in
            JobRecord(
                task: id, since: started, until: shared.history.latest.now, executor: running.executor,
                lane: UInt16(clamping: running.job.lane))
        }
        guard let found = record ?? index.job(of: id, startedAt: started, on: task.executor, lane: task.lane) else {
            if isUpToDate {
                (sought, job) = (nil, nil)
                show(started, shared)
            }
            return
        }
        (sought, job) = (nil, found)
        if let row = index.row(of: found.executor, lane: Int(found.lane)) {
            track = index.rows[row]
            pane.show(row)
        }
        show(started, shared)
    }

    /// The row of the selected lane. Nil if the timeline has no such lane.
    var row: Int? { track.flatMap { index.index(of: $0) } }

    private var isFixed: Bool {
        if case .fixed = view { true } else { false }
    }

    /// The whole trace, rounded up to a round span while it grows, so that the picture does not shrink with every event.
    func wholeScale(_ shared: SharedState) -> TimeScale {
        let now = max(shared.history.latest.now, 1_000_000)
        return TimeScale(start: 0, span: shared.program.hasEnded ? now + now / 50 : TimeScale.round(above: now), columns: pane.area.columns)
    }

    func scale(_ shared: SharedState) -> TimeScale {
        let (store, columns) = (shared.history.latest, pane.area.columns)
        switch view {
        case .whole: return wholeScale(shared)
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

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        guard !index.rows.isEmpty else { return .ignored }
        if movement == .left || movement == .right { return selectJob(isNext: movement == .right, &shared) }
        pane.highlight(row)
        guard var row = pane.target(of: movement) else { return .ignored }
        let before = (track, pane.rows)
        // The line of a queue belongs to the lane above it.
        if index.rows[row].isQueue { row += movement == .down && row + 1 < index.rows.count ? 1 : -1 }
        track = index.rows[row]
        if row + 1 < index.rows.count, index.rows[row + 1].isQueue { pane.show(row + 1) }
        pane.show(row)
        return .changed(if: (track, pane.rows) != before)
    }

    mutating func open(_ shared: inout SharedState) -> Answer { shared.selection.map { .detail(of: $0) } ?? .ignored }

    /// The selected job if it still runs, otherwise its task. Without a selection, the executor of the line.
    private func waiting(_ shared: SharedState) -> WaitChain.Subject? {
        if let job, job.task == .none, let running = shared.store.executor(job.executor)?.running,
            let same = running.first(where: { $0.since == job.since && $0.task == job.task })
        {
            return .job(same, on: job.executor)
        }
        if let task = shared.selection { return .task(task) }
        return track.flatMap { $0.executor == .none ? nil : .executor($0.executor) }
    }

    mutating func leave(_ shared: inout SharedState) -> Answer {
        let hasStep = shared.selection != nil || job != nil || track != nil
        shared.selection = nil
        sought = nil
        (job, track) = (nil, nil)
        return .changed(if: hasStep)
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) { pane.scroll(by: rows) }

    private mutating func changeGrouping() {
        grouping = grouping == .executors ? .threads : .executors
        index = SwimIndex(grouping)
        (track, picture) = (nil, nil)
        pane.setTop(0)
    }

    private mutating func putTimeCursor(_ shared: inout SharedState) -> Answer {
        guard let job else {
            shared.notice = "Pick a job first, with the arrows or a click: the time cursor goes to its beginning."
            return .ignored
        }
        let before = shared.cursorPosition
        shared.go(toTime: job.since)
        return .changed(if: shared.cursorPosition != before)
    }

    // MARK: Jobs

    mutating func select(_ job: JobRecord, _ shared: inout SharedState) {
        self.job = job
        show(job.since, shared)
        if job.task != .none, shared.history.latest.row(of: job.task) != nil { shared.follow(job.task) }
    }

    /// Selects the next or the previous job in the selected lane, visible or not. Without a selection, the first visible job.
    private mutating func selectJob(isNext: Bool, _ shared: inout SharedState) -> Answer {
        guard let row else {
            track = index.rows.first
            return .changed
        }
        let bars = picture?.track(atRow: row)?.bars ?? []
        let isInLane = job.map { index.row(of: $0.executor, lane: Int($0.lane)) == row } ?? false
        guard let job, isInLane else {
            guard let first = isNext ? bars.first : bars.last else { return .ignored }
            select(first.job, &shared)
            return .changed
        }
        let ended = index.neighbour(of: job, on: index.rows[row], isNext: isNext)
        let running = bars.filter { $0.isRunning && ($0.job.since > job.since) == isNext && $0.job.since != job.since }
            .map(\.job).min { isNext ? $0.since < $1.since : $0.since > $1.since }
        let found = [ended, running].compactMap { $0 }.min { isNext ? $0.since < $1.since : $0.since > $1.since }
        guard let found else { return .ignored }
        select(found, &shared)
        return .changed
    }
}
