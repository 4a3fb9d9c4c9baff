import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

extension TimelineScreen {
    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        guard let picture, !picture.tracks.isEmpty || shared.history.latest.jobs.total > 0 else {
            let text = shared.hasEnded ? "No job ran." : "No job yet: a bar appears here as soon as one runs."
            EmptyNote.draw(text, in: body, on: &canvas)
            return
        }
        canvas.fill(body.row(0), style: Style(.columnHeader))
        canvas.clipped(to: ruler) { drawRuler(picture.scale, in: ruler, on: &$0) }
        let panel = SwimlanesPanel(picture: picture, rows: pane.rows, track: track, chain: chain, shared: shared)
        panel.drawNames(in: names, on: &canvas)
        canvas.clipped(to: pane.area) { panel.drawLanes(in: pane.area, on: &$0) }
        pane.drawMarks(on: &canvas)
        drawStatus(shared, picture, in: status, on: &canvas)
    }

    private func drawRuler(_ scale: TimeScale, in rect: Rect, on canvas: inout Canvas) {
        let ticks = scale.ticks(every: 14)
        let isFine = ticks.count > 1 && ticks[1] - ticks[0] < 10_000_000
        for tick in ticks {
            let column = rect.left + scale.column(of: tick)
            canvas.put(.vertical, at: Point(column: column, row: rect.top), style: Style(.border))
            canvas.write(
                isFine ? ClockText.precise(tick) : ClockText.text(tick), at: Point(column: column + 1, row: rect.top),
                style: Style(.columnHeader),
                limit: rect.right - column - 1)
        }
    }

    private func drawStatus(_ shared: SharedState, _ picture: Swimlanes, in rect: Rect, on canvas: inout Canvas) {
        canvas.horizontalLine(at: rect.origin, columns: rect.columns)
        let span = " \(shared.duration(picture.scale.span)) from \(ClockText.precise(picture.scale.start)) "
        canvas.write([Span(span, .dim)], at: rect.origin.moved(columns: 1), end: rect.right)
        let mode =
            switch view {
            case .whole: " the whole "
            case .latest: " following the latest "
            case .fixed: ""
            }
        canvas.write([Span(mode, .good)], at: rect.origin.moved(columns: 2 + span.count), end: rect.right)
        canvas.write(selected(shared), at: rect.row(1).origin, end: rect.right)
    }

    /// The description of the selected job, or of the selected task.
    private func selected(_ shared: SharedState) -> [Span] {
        let words = TaskWords(shared.history.latest)
        if let job, job.task == shared.selection ?? .none || job.task == .none {
            let name = shared.name(of: job.task)
            var spans = [
                Span(" " + name, .title, .bold), Span("  on \(words.name(job.executor))", .text),
                Span("  from \(ClockText.precise(job.since)), ran \(shared.duration(job.duration))", .dim),
            ]
            guard let task = shared.history.latest.task(job.task) else { return spans }
            if let wait = words.wait(of: task, isASCII: shared.isASCII) { spans.append(Span(", \(wait)", .dim)) }
            spans.append(StateMark(task).span(shared.glyphs, after: "  "))
            return spans
        }
        guard let task = shared.selection.flatMap({ shared.history.latest.task($0) }) else {
            return [Span(" Up and down pick a line, left and right a job; + - zoom.", .dim)]
        }
        return [
            Span(" " + words.name(of: task), .title, .bold),
            StateMark(task).span(shared.glyphs, after: "  "),
            Span(
                task.started.map { "  began \(ClockText.precise($0))" } ?? (task.kind.isOfSwift ? "  has not run" : "  ran no body"), .dim),
        ]
    }
}
