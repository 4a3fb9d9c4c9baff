import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// Draws the visible lines of a timeline.
struct SwimlanesPanel {
    let picture: Swimlanes
    /// The number of screen rows per lane.
    let laneHeight: Int
    /// The selected lane.
    let track: SwimTrack.ID?
    let job: JobRecord?
    /// The selected chain.
    let chain: Set<TaskID>
    /// Jobs that ended before this time are not known.
    let forgotten: UInt64?
    let shared: SharedState

    /// The latest state. The picture also shows time after the cursor.
    private var store: TraceStore { shared.history.latest }

    /// The place of a visible lane. A high lane leaves its last row free as a gap, unless its queue follows.
    private func area(_ line: Int, in rect: Rect) -> Rect {
        let next = line + 1 < picture.tracks.count ? picture.tracks[line + 1] : nil
        let isApart = laneHeight >= 3 && !(next?.id.isQueue ?? false)
        return rect.rows(line * laneHeight..<(line + 1) * laneHeight - (isApart ? 1 : 0))
    }

    // MARK: Names

    func drawNames(in rect: Rect, on canvas: inout Canvas) {
        var previous: ExecutorID?
        for (line, track) in picture.tracks.enumerated() {
            let area = area(line, in: rect)
            // The pictures of a lane grow from its last row, so its name stands there too.
            draw(nameOf: track, after: previous, in: area.row(area.rows - 1), on: &canvas)
            previous = track.id.executor
            if track.id == self.track { canvas.restyle(area.columns(0..<rect.columns - 1), .selected) }
        }
    }

    private func draw(nameOf track: SwimTrack, after previous: ExecutorID?, in area: Rect, on canvas: inout Canvas) {
        let start = area.origin.moved(columns: 1)
        let room = area.columns - 2
        let words = TaskWords(store)
        let name = words.name(track.id.executor).fittingName(room, shared.glyphs)
        let style = Style(store.role(of: track.id.executor, else: .title), .bold)
        switch track.id {
        case .executor: canvas.write(name, at: start, style: style, limit: room)
        case .thread(.none, let lane): canvas.write(thread(lane), at: start, style: Style(.title, .bold), limit: room)
        case .thread(let executor, let lane):
            let thread = thread(lane)
            var left = room
            if executor != previous {
                canvas.write(name, at: start, style: style, limit: room)
                left -= CharacterWidth.of(name) + 1
            } else {
                canvas.put(.separator, at: start.moved(columns: 1), style: Style(.dim))
                left -= 3
            }
            if CharacterWidth.of(thread) <= left { canvas.write(thread, at: start, style: Style(.dim), limit: room, align: .right) }
        case .queue:
            let deepest = track.depths.compactMap(\.self).max() ?? 0
            canvas.write("queue", at: start.moved(columns: 2), style: Style(.dim), limit: room - 2)
            if deepest > 0 {
                let text = (room >= 15 ? "up to " : "") + CountText.text(Int(deepest))
                canvas.write(text, at: start.moved(columns: 8), style: Style(.queued), limit: room - 8, align: .right)
            }
        }
    }

    private func thread(_ lane: Int) -> String {
        store.thread(ofLane: lane).map { "thread \($0)" } ?? "lane \(lane)"
    }

    // MARK: Lanes

    func drawLanes(in rect: Rect, on canvas: inout Canvas) {
        if shared.history.isAtLatest { drawCursor(in: rect, on: &canvas) }
        for (line, track) in picture.tracks.enumerated() {
            let area = area(line, in: rect)
            drawUnknown(in: area, on: &canvas)
            if track.id.isQueue {
                drawQueue(track, in: area, on: &canvas)
            } else {
                drawJobs(track, in: area, on: &canvas)
            }
        }
        for arrow in picture.arrows { draw(arrow, in: rect, on: &canvas) }
        if !shared.history.isAtLatest { drawCursor(in: rect, on: &canvas) }
    }

    /// While live, the cursor is at the end of time, behind the bars. While paused, it is at the shown time, in front of them.
    private func drawCursor(in rect: Rect, on canvas: inout Canvas) {
        let column = picture.scale.column(of: shared.store.now)
        guard (0..<picture.scale.columns).contains(column) else { return }
        let isLive = shared.history.isAtLatest
        for line in 0..<rect.rows {
            let style = isLive ? Style(.border) : Style(.filter, .bold)
            canvas.put(isLive ? .dotted : .vertical, at: rect.origin.moved(columns: column, rows: line), style: style)
        }
    }

    /// Marks the time whose jobs are not known, because an empty lane would say that none ran.
    private func drawUnknown(in rect: Rect, on canvas: inout Canvas) {
        guard let forgotten else { return }
        for column in 0..<max(0, min(picture.scale.columns, picture.scale.column(of: forgotten))) {
            for row in 0..<rect.rows {
                canvas.put(.separator, at: rect.origin.moved(columns: column, rows: row), style: Style(.border))
            }
        }
    }

    private func drawQueue(_ track: SwimTrack, in rect: Rect, on canvas: inout Canvas) {
        let deepest = track.depths.compactMap(\.self).max() ?? 0
        for (column, depth) in track.depths.enumerated() {
            guard let depth, depth > 0 else { continue }
            fill(Double(depth) / Double(deepest), ofColumn: column, in: rect, style: Style(.queued), on: &canvas)
        }
    }

    /// Fills a column from the bottom, at least an eighth of a row.
    private func fill(_ share: Double, ofColumn column: Int, in rect: Rect, style: Style, on canvas: inout Canvas) {
        let steps = rect.rows * 8
        let level = max(1, min(steps, Int((share * Double(steps)).rounded())))
        for row in 0..<(level + 7) / 8 {
            let point = rect.origin.moved(columns: column, rows: rect.rows - 1 - row)
            canvas.put(.spark(eighths: min(8, level - row * 8)), at: point, style: style)
        }
    }

    /// A cell with only a part of one long bar shows that part. Any other cell shows how much of its time jobs ran.
    private func drawJobs(_ track: SwimTrack, in rect: Rect, on canvas: inout Canvas) {
        for (column, cell) in track.cells.enumerated() {
            guard let index = cell.bar else { continue }
            let bar = track.bars[index]
            var style = style(of: bar)
            let width = max(1, picture.scale.time(of: column + 1) - picture.scale.time(of: column))
            let share = Double(min(cell.busy, width)) / Double(width)
            // The column of a bar's beginning may have the end of the bar before it.
            let isApart = column > 0 && track.cells[column - 1].bar.map { $0 != index } ?? false
            let isBoundary = isApart && share > 0.9
            guard bar.columns.count > 1, !cell.isDense, cell.busy == cell.share || isBoundary else {
                fill(share, ofColumn: column, in: rect, style: style, on: &canvas)
                continue
            }
            let (glyph, isReversed) = edge(share, isFirst: column == bar.columns.lowerBound || isBoundary, isApart: isApart, bar)
            if isReversed { style.emphasis.formUnion(.reversed) }
            for row in 0..<rect.rows { canvas.put(glyph, at: rect.origin.moved(columns: column, rows: row), style: style) }
        }
        drawNames(of: track, in: rect, on: &canvas)
    }

    /// A cell of a long bar. The edges on the left are the reversed glyph of the rest.
    private func edge(_ share: Double, isFirst: Bool, isApart: Bool, _ bar: SwimBar) -> (Glyph, isReversed: Bool) {
        let eighths = max(1, min(8, Int((share * 8).rounded())))
        guard isFirst else { return (.bar(eighths: eighths), false) }
        // A reversed ASCII character is bright all over, whatever part of the cell it stands for.
        guard !shared.isASCII else { return (isApart && eighths == 8 ? .vertical : .bar(eighths: eighths), false) }
        // A narrow gap divides it from the bar before it.
        if eighths == 8 { return isApart ? (.bar1, true) : (.bar8, false) }
        return bar.job.since < picture.scale.start ? (.bar(eighths: eighths), false) : (.bar(eighths: 8 - eighths), true)
    }

    /// The least part of a longer name that tells something.
    private static let leastNameColumns = 8

    /// Writes the names of jobs into the bars that are long enough.
    private func drawNames(of track: SwimTrack, in rect: Rect, on canvas: inout Canvas) {
        for (index, bar) in track.bars.enumerated() where bar.columns.count >= 5 {
            // A nested body may cover the middle of this bar.
            let first = bar.columns.lowerBound
            let end = bar.columns.dropFirst().first { track.cells[$0].bar != index } ?? bar.columns.upperBound
            guard track.cells[first].bar == index || first + 1 < end, end - first >= 5 else { continue }
            let name = TaskWords(store).name(of: bar.job.task, closure: bar.job.label)
            var style = style(of: bar)
            style.emphasis.formUnion(.reversed)
            let room = end - first - 2
            guard CharacterWidth.of(name) <= room || room >= Self.leastNameColumns else { continue }
            let shown = name.fittingName(room, shared.glyphs)
            canvas.write(shown, at: rect.origin.moved(columns: first + 1, rows: rect.rows - 1), style: style, limit: room)
        }
    }

    private func style(of bar: SwimBar) -> Style {
        let task = store.task(bar.job.task)
        let isSelected = job.map { bar.job.isSame(as: $0) } ?? (bar.job.task != .none && bar.job.task == shared.selection)
        let emphasis: Emphasis = isSelected ? .bold : []
        if bar.job.since > shared.store.now { return Style(.barDim, emphasis) }
        if task?.state == .faulted { return Style(.fault, emphasis) }
        if isSelected || bar.isRunning { return Style(.running, emphasis) }
        if !chain.isEmpty { return Style(chain.contains(bar.job.task) ? .bar : .barDim) }
        return Style(.bar)
    }

    // MARK: Hops

    /// Draws a line from one lane to the other, with its head at the lane that the hop leads to, and then the wait for the job's turn.
    private func draw(_ arrow: SwimArrow, in rect: Rect, on canvas: inout Canvas) {
        let isDown = arrow.to > arrow.from
        let style = Style(.mainHop, .bold)
        let height = laneHeight >= 3 ? laneHeight - 1 : laneHeight
        func top(_ lane: Int) -> Int { (lane - picture.rows.lowerBound) * laneHeight }
        let from = top(arrow.from) + (isDown ? height - 1 : 0)
        let to = top(arrow.to) + (isDown ? 0 : height - 1)
        for row in min(from, to)...max(from, to) where (0..<rect.rows).contains(row) {
            let point = rect.origin.moved(columns: arrow.column, rows: row)
            if row == to {
                canvas.put(isDown ? .sortedDown : .sortedUp, at: point, style: style)
            } else if row != from {
                canvas.put(.vertical, at: point, style: style)
            } else {
                canvas.put(isDown ? .topRight : .bottomRight, at: point, style: style)
            }
        }
        guard let track = picture.track(atRow: arrow.to) else { return }
        for column in arrow.wait where column > arrow.column && track.cells[column].bar == nil {
            canvas.put(.horizontal, at: rect.origin.moved(columns: column, rows: to), style: Style(.queued))
        }
    }
}
