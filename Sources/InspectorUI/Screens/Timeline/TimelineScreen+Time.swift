import TaskEvents
import TerminalCanvas
import TraceLayout
import TraceStore

extension TimelineScreen {
    mutating func zoom(to span: UInt64, _ shared: SharedState) {
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

    mutating func pan(quarters: Int, _ shared: SharedState) {
        moveView(from: scale(shared), columns: quarters * pane.area.columns / 4, shared)
    }

    /// Shows the span of a scale `columns` later, or earlier if negative.
    private mutating func moveView(from scale: TimeScale, columns: Int, _ shared: SharedState) {
        let distance = UInt64(Double(abs(columns)) / Double(scale.columns) * Double(scale.span))
        let now = shared.history.latest.now
        let last = now > scale.span / 2 ? now - scale.span / 2 : 0
        let start =
            columns < 0 ? (scale.start > distance ? scale.start - distance : 0) : min(scale.start + distance, max(last, scale.start))
        view = .fixed(start: start, span: scale.span)
    }

    /// Moves the view as little as possible to show a time.
    mutating func show(_ time: UInt64, _ shared: SharedState) {
        let scale = self.scale(shared)
        guard time < scale.start || time >= scale.end else { return }
        view = .fixed(start: time > scale.span / 3 ? time - scale.span / 3 : 0, span: scale.span)
    }

    // MARK: Mouse

    /// The part of the screen that the mouse holds while its button is down.
    enum Grip: Hashable, Sendable {
        case map
        /// The ruler's columns from the press to the mouse.
        case ruler(from: Int, to: Int)
        /// The lanes, the place of the press, the view at that time, and whether a release without a movement opens the job.
        case lanes(Point, TimeScale, top: Int, opens: Bool)
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        if areas.map.contains(point) {
            grip = .map
            moveMap(to: point.column - areas.map.left, shared)
            return .changed
        }
        if areas.ruler.contains(point) {
            let column = point.column - areas.ruler.left
            grip = .ruler(from: column, to: column)
            return .changed
        }
        let line = Point(column: pane.area.left, row: point.row)
        guard areas.names.contains(point) || pane.area.contains(point), let row = pane.row(at: line) else { return .ignored }
        let bar = picture?.bar(row: row, column: point.column - pane.area.left)
        let isSelected = bar.map { $0.job.isSame(as: job) && shared.selection == $0.job.task } ?? false
        if pane.area.contains(point) { grip = .lanes(point, scale(shared), top: pane.rows.lowerBound, opens: isSelected) }
        track = index.rows[index.rows[row].isQueue && row > 0 ? row - 1 : row]
        if let bar { select(bar.job, &shared) }
        return .changed
    }

    mutating func drag(to point: Point, _ shared: inout SharedState) {
        switch grip {
        case .map: moveMap(to: point.column - areas.map.left, shared)
        case .ruler(let from, _):
            grip = .ruler(from: from, to: max(0, min(point.column - areas.ruler.left, areas.ruler.columns - 1)))
        case .lanes(let start, let scale, let top, let opens):
            grip = .lanes(start, scale, top: top, opens: opens && point == start)
            pane.setTop(top + start.row - point.row)
            guard point.column != start.column || view != .whole else { return }
            moveView(from: scale, columns: start.column - point.column, shared)
        case nil: break
        }
    }

    mutating func mouseUp(_ shared: inout SharedState) -> Answer {
        defer { grip = nil }
        switch grip {
        case .ruler(let from, let to):
            let scale = scale(shared)
            let (start, end) = (scale.time(of: min(from, to)), scale.time(of: max(from, to) + 1))
            if from == to { shared.go(toTime: start) } else { view = .fixed(start: start, span: max(Self.leastSpan, end - start)) }
        case .lanes(_, _, _, opens: true): return open(&shared)
        case .lanes, .map, nil: return .ignored
        }
        return .changed
    }

    /// Moves the window so that its middle is at a column of the map. A view of the whole trace becomes one of an eighth of it.
    private mutating func moveMap(to column: Int, _ shared: SharedState) {
        let whole = wholeScale(shared)
        let span = view == .whole ? max(Self.leastSpan, whole.span / 8) : scale(shared).span
        let middle = whole.time(of: max(0, min(column, whole.columns - 1)))
        let start = middle > span / 2 ? middle - span / 2 : 0
        view = .fixed(start: min(start, whole.end > span ? whole.end - span : 0), span: span)
    }
}

extension JobRecord {
    /// Whether it is the same job, which may have run on since.
    func isSame(as other: JobRecord?) -> Bool {
        other.map { task == $0.task && since == $0.since && lane == $0.lane && executor == $0.executor } ?? false
    }
}
