import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

extension TimelineScreen {
    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        guard let picture, !index.rows.isEmpty else {
            let text = shared.withoutExecutors(
                shared.program.hasEnded ? "No job ran." : "No job yet: a bar appears here as soon as one runs.")
            EmptyNote.draw(text, in: areas.body, on: &canvas)
            return
        }
        drawMap(shared, picture.scale, on: &canvas)
        canvas.fill(areas.body.row(1), style: Style(.columnHeader))
        canvas.clipped(to: areas.ruler) { drawRuler(picture.scale, in: areas.ruler, on: &$0) }
        let panel = SwimlanesPanel(
            picture: picture, laneHeight: pane.rowHeight, track: track, job: job, chain: chain, forgotten: index.forgotten, shared: shared)
        panel.drawNames(in: areas.names, on: &canvas)
        canvas.clipped(to: pane.area) { panel.drawLanes(in: pane.area, on: &$0) }
        let lines = Rect(
            column: areas.names.left, row: pane.area.top, columns: pane.area.right + 1 - areas.names.left, rows: pane.area.rows)
        canvas.scrollBar(pane.rows, of: index.rows.count, in: lines)
        drawStatus(shared, picture, in: areas.status, on: &canvas)
        drawHiddenCounts(on: &canvas)
    }

    /// The load of the whole trace, with the visible part of it marked.
    private func drawMap(_ shared: SharedState, _ scale: TimeScale, on canvas: inout Canvas) {
        let whole = wholeScale(shared)
        let room = areas.map.left - areas.body.left - 2
        let duration = shared.duration(shared.history.latest.now)
        let name = ["whole \(duration)", "all \(duration)"].first { CharacterWidth.of($0) <= room } ?? duration
        canvas.write(name, at: areas.body.origin.moved(columns: 1), style: Style(.dim), limit: room)
        let peak = loads.max() ?? 0
        let window = whole.columns(from: scale.start, to: scale.end)
        for (column, load) in loads.prefix(areas.map.columns).enumerated() where load > 0 {
            let eighths = max(1, min(8, Int((load / peak * 8).rounded())))
            let style = Style(window.contains(column) ? .bar : .barDim)
            canvas.put(.spark(eighths: eighths), at: areas.map.origin.moved(columns: column), style: style)
        }
        guard window.count < whole.columns else { return }
        canvas.restyle(areas.map.columns(window), .selected)
        // Without colours, only the edges tell where the window is.
        for column in [window.lowerBound - 1, window.upperBound] where (0..<areas.map.columns).contains(column) {
            canvas.put(.vertical, at: areas.map.origin.moved(columns: column), style: Style(.title))
        }
    }

    /// Tells how many lines are above and below the visible ones.
    private func drawHiddenCounts(on canvas: inout Canvas) {
        let room = areas.names.columns - 1
        let (above, below) = (pane.rows.lowerBound, index.rows.count - pane.rows.upperBound)
        func draw(_ glyph: Glyph, _ count: Int, at point: Point, _ canvas: inout Canvas) {
            canvas.put(glyph, at: point, style: Style(.title))
            canvas.write(" \(CountText.text(count)) more ", at: point.moved(columns: 1), style: Style(.title), limit: room - 1)
        }
        if above > 0 { draw(.sortedUp, above, at: areas.body.row(1).origin.moved(columns: 1), &canvas) }
        if below > 0 { draw(.sortedDown, below, at: areas.status.origin.moved(columns: 1), &canvas) }
    }

    private func drawRuler(_ scale: TimeScale, in rect: Rect, on canvas: inout Canvas) {
        let ticks = scale.ticks(every: 14)
        let isFine = ticks.count > 1 && ticks[1] - ticks[0] < 10_000_000
        for tick in ticks {
            let column = rect.left + scale.column(of: tick)
            let time = isFine ? ClockText.precise(tick) : ClockText.text(tick)
            canvas.put(.vertical, at: Point(column: column, row: rect.top), style: Style(.border))
            // A cut time would read as another one.
            guard time.count < rect.right - column else { continue }
            canvas.write(time, at: Point(column: column + 1, row: rect.top), style: Style(.columnHeader))
        }
    }

    private func drawStatus(_ shared: SharedState, _ picture: Swimlanes, in rect: Rect, on canvas: inout Canvas) {
        canvas.horizontalLine(at: rect.origin, columns: rect.columns)
        var spans: [Span] = []
        if case .ruler(let from, let to) = grip, from != to {
            let (start, end) = (picture.scale.time(of: min(from, to)), picture.scale.time(of: max(from, to) + 1))
            spans.append(Span(" zoom to \(shared.duration(end - start)) from \(ClockText.precise(start)) ", .filter, .bold))
        } else if view == .whole {
            spans.append(Span(" the whole trace", .good))
        } else {
            spans.append(Span(" \(shared.duration(picture.scale.span)) from \(ClockText.precise(picture.scale.start))", .dim))
        }
        if case .latest = view { spans.append(Span(", following the latest", .good)) }
        if let forgotten = index.forgotten, forgotten > picture.scale.start {
            spans.append(Span(", jobs before \(ClockText.precise(forgotten)) are not kept", .warning))
        }
        canvas.write(spans + [Span(" ", .dim)], at: rect.origin.moved(columns: areas.names.columns), end: rect.right)
        canvas.write(selected(shared), at: rect.row(1).origin, end: rect.right)
    }

    /// The description of the selected job, or of the selected task.
    private func selected(_ shared: SharedState) -> [Span] {
        let words = TaskWords(shared.history.latest)
        if let job, job.task == shared.selection ?? .none || job.task == .none {
            let name = TaskWords(shared.history.latest).name(of: job.task, closure: job.label)
            var spans = [
                Span(" " + name, .title, .bold), Span("  on \(words.name(job.executor))", .text),
                Span("  from \(ClockText.precise(job.since)), ran \(shared.duration(job.duration))", .dim),
            ]
            if let site = words.site(of: job.task, closure: job.label) { spans.append(Span("  \(site)", .dim)) }
            guard let task = shared.history.latest.task(job.task) else { return spans }
            if let wait = words.wait(of: task, isASCII: shared.isASCII) { spans.append(Span(", \(wait)", .dim)) }
            spans.append(shared.span(of: DisplayedState(task), after: "  "))
            return spans
        }
        guard let task = shared.selection.flatMap({ shared.history.latest.task($0) }) else {
            return [Span(" Up and down pick a row, left and right a job; + - zoom.", .dim)]
        }
        return [
            Span(" " + words.name(of: task), .title, .bold),
            shared.span(of: DisplayedState(task), after: "  "),
            Span(
                task.started.map { "  began \(ClockText.precise($0))" } ?? (task.kind.isOfSwift ? "  has not run" : "  ran no body"), .dim),
        ]
    }
}
