import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// Draws the visible lines of a timeline.
struct SwimlanesPanel {
    let picture: Swimlanes
    let rows: Range<Int>
    /// The selected track.
    let track: SwimTrack.ID?
    /// The selected chain.
    let chain: Set<TaskID>
    let shared: SharedState

    /// The latest state. The picture also shows time after the cursor.
    private var store: TraceStore { shared.history.latest }

    func drawNames(in rect: Rect, on canvas: inout Canvas) {
        let words = TaskWords(store)
        for (line, row) in rows.enumerated() {
            let track = picture.tracks[row]
            let area = rect.row(line)
            if track.isFirst || line == 0 {
                let (name, role) = name(of: track, words)
                canvas.write(name, at: area.origin.moved(columns: 1), style: Style(role, .bold), limit: area.columns - 2)
            }
            if track.id.lane == nil {
                let depth = store.executor(track.id.executor)?.depth ?? 0
                canvas.write(
                    "\(CountText.text(depth)) queued", at: area.origin.moved(columns: 1), style: Style(.queued), limit: area.columns - 2,
                    align: .right)
            } else if !track.isFirst, line > 0 {
                canvas.put(.separator, at: area.origin.moved(columns: 2), style: Style(.dim))
            }
            if track.id == self.track { canvas.restyle(area.columns(0..<area.columns - 1), .selected) }
        }
    }

    private func name(of track: SwimTrack, _ words: TaskWords) -> (String, Role) {
        guard picture.grouping == .executors else {
            let lane = track.id.lane ?? 0
            return (store.thread(ofLane: lane).map { "thread \($0)" } ?? "lane \(lane)", .title)
        }
        return (words.name(track.id.executor), store.role(of: track.id.executor, else: .title))
    }

    func drawLanes(in rect: Rect, on canvas: inout Canvas) {
        if shared.history.isAtLatest { drawCursor(in: rect, on: &canvas) }
        for (line, row) in rows.enumerated() {
            draw(picture.tracks[row], in: rect.row(line), on: &canvas)
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

    private func draw(_ track: SwimTrack, in rect: Rect, on canvas: inout Canvas) {
        for (column, cell) in track.cells.enumerated() {
            let point = rect.origin.moved(columns: column)
            if let bar = cell.bar {
                let width = picture.scale.time(of: column + 1) - picture.scale.time(of: column)
                let eighths = max(1, min(8, Int((Double(cell.busy) / Double(max(1, width)) * 8).rounded())))
                canvas.put(.spark(eighths: eighths), at: point, style: style(of: track.bars[bar]))
            } else if cell.isWaiting {
                canvas.put(.horizontal, at: point, style: Style(.queued))
            }
        }
        drawNames(of: track, in: rect, on: &canvas)
    }

    /// Writes task names into the bars that are long enough.
    private func drawNames(of track: SwimTrack, in rect: Rect, on canvas: inout Canvas) {
        for (index, bar) in track.bars.enumerated() where bar.columns.count >= 5 {
            // A nested body may cover the middle of this bar.
            let first = bar.columns.lowerBound
            let end = bar.columns.dropFirst().first { track.cells[$0].bar != index } ?? bar.columns.upperBound
            guard track.cells[first].bar == index || first + 1 < end, end - first >= 5 else { continue }
            let name = store.task(bar.job.task).map { TaskWords(store).name(of: $0) } ?? "closure"
            var style = style(of: bar)
            style.emphasis.formUnion(.reversed)
            let room = end - first - 2
            canvas.write(name, at: rect.origin.moved(columns: first + 1), style: style, limit: room)
        }
    }

    private func style(of bar: SwimBar) -> Style {
        let task = store.task(bar.job.task)
        let isSelected = bar.job.task != .none && bar.job.task == shared.selection
        let emphasis: Emphasis = isSelected ? .bold : []
        if bar.job.since > shared.store.now { return Style(.barDim, emphasis) }
        if task?.state == .faulted { return Style(.fault, emphasis) }
        if isSelected || bar.isRunning { return Style(.running, emphasis) }
        if !chain.isEmpty { return Style(chain.contains(bar.job.task) ? .bar : .barDim) }
        return Style(.bar)
    }

    /// Draws a line from the chain's previous track to the next one. Its head is at the track of the job that the hop enqueues.
    private func draw(_ arrow: SwimArrow, in rect: Rect, on canvas: inout Canvas) {
        let isDown = arrow.to > arrow.from
        let ends = (from: picture.tracks[arrow.from].id.executor, to: picture.tracks[arrow.to].id.executor)
        let style = Style(store.role(ofHopFrom: ends.from, to: ends.to), .bold)
        for row in min(arrow.from, arrow.to)...max(arrow.from, arrow.to) where rows.contains(row) {
            let point = rect.origin.moved(columns: arrow.column, rows: row - rows.lowerBound)
            if row == arrow.to {
                canvas.put(isDown ? .sortedDown : .sortedUp, at: point, style: style)
            } else if row != arrow.from {
                canvas.put(.vertical, at: point, style: style)
            } else {
                canvas.put(isDown ? .topRight : .bottomRight, at: point, style: style)
            }
        }
    }
}
