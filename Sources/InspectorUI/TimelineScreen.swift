import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// What ran when and where: a line a thread of each executor, bars for bodies, thin lines for waits, arrows for the selected chain's hops.
enum TimelineScreen {
    struct Areas {
        var ruler: Rect
        var names: Rect
        var lanes: Rect
        var status: Rect
    }

    static func areas(_ body: Rect) -> Areas {
        let (status, above) = body.split(bottom: 2)
        let (top, below) = above.split(top: 1)
        let width = max(12, min(20, body.columns / 6))
        let (names, lanes) = below.split(left: width)
        return Areas(ruler: top.split(left: width).rest, names: names, lanes: lanes.split(right: 1).rest, status: status)
    }

    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        guard let picture = model.swimlanes.picture, !picture.tracks.isEmpty || model.history.latest.jobs.total > 0 else {
            let text = model.hasEnded ? "No job ran." : "No job yet: a bar appears here as soon as one runs."
            EmptyNote.draw(text, in: rect, on: &canvas)
            return
        }
        let areas = areas(rect)
        canvas.fill(rect.row(0), style: Style(.columnHeader))
        canvas.clipped(to: areas.ruler) { drawRuler(picture.scale, model, in: areas.ruler, on: &$0) }
        let rows = model.swimlanes.window.rows(count: picture.tracks.count, height: areas.lanes.rows)
        let panel = SwimlanesPanel(picture: picture, rows: rows, model: model)
        panel.drawNames(in: areas.names, on: &canvas)
        canvas.clipped(to: areas.lanes) { panel.drawLanes(in: areas.lanes, on: &$0) }
        drawStatus(model, picture, in: areas.status, on: &canvas)
    }

    private static func drawRuler(_ scale: TimeScale, _ model: Model, in rect: Rect, on canvas: inout Canvas) {
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

    private static func drawStatus(_ model: Model, _ picture: Swimlanes, in rect: Rect, on canvas: inout Canvas) {
        canvas.horizontalLine(at: rect.origin, columns: rect.columns)
        let isASCII = model.glyphs.isASCII
        let span = " \(DurationText.text(picture.scale.span, isASCII: isASCII)) from \(ClockText.precise(picture.scale.start)) "
        canvas.write([Span(span, .dim)], at: rect.origin.moved(columns: 1), end: rect.right)
        let mode =
            switch model.swimlanes.view {
            case .whole: " the whole "
            case .latest: " following the latest "
            case .fixed: ""
            }
        canvas.write([Span(mode, .good)], at: rect.origin.moved(columns: 2 + span.count), end: rect.right)
        canvas.write(selected(model), at: rect.row(1).origin, end: rect.right)
    }

    /// What there is to say of the selected job, or of the selected task.
    private static func selected(_ model: Model) -> [Span] {
        let isASCII = model.glyphs.isASCII
        func time(_ nanoseconds: UInt64) -> String { DurationText.text(nanoseconds, isASCII: isASCII) }
        let words = TaskWords(model.history.latest)
        if let job = model.swimlanes.job, job.task == model.selection ?? .none || job.task == .none {
            let name = job.task == .none ? "a closure, no task's" : NextText.name(of: job.task, in: model)
            var spans = [
                Span(" " + name, .title, .bold), Span("  on \(words.name(job.executor))", .text),
                Span("  from \(ClockText.precise(job.since)), ran \(time(job.duration))", .dim),
            ]
            guard let task = model.history.latest.task(job.task) else { return spans }
            let mark = StateMark(task)
            if let wait = words.wait(of: task, isASCII: isASCII) { spans.append(Span(", \(wait)", .dim)) }
            spans.append(Span("  \(Character(model.glyphs[mark.canvasGlyph])) \(mark.word)", mark.role))
            return spans
        }
        guard let task = model.selection.flatMap({ model.history.latest.task($0) }) else {
            return [Span(" Up and down pick a line, left and right a job on it; + and - zoom.", .dim)]
        }
        let mark = StateMark(task)
        return [
            Span(" " + words.name(of: task), .title, .bold), Span("  \(Character(model.glyphs[mark.canvasGlyph])) \(mark.word)", mark.role),
            Span(task.started.map { "  began \(ClockText.precise($0))" } ?? "  ran no body", .dim),
        ]
    }
}
