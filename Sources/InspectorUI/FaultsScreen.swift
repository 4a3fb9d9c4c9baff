import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Every error, the newest first, and the path of one: what each task did with it, step by step.
enum FaultsScreen {
    static func areas(_ body: Rect) -> (frame: ListAndPanel, path: PathAreas) {
        let frame = ListAndPanel(body, listRows: body.rows / 3)
        return (frame, PathAreas(frame.panel))
    }

    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        let state = model.faults
        guard state.list.count > 0 else {
            let text =
                model.hasEnded
                ? "No task failed." : "No error so far: each appears here as soon as a task fails, with all that became of it."
            EmptyNote.draw(text, in: rect, on: &canvas)
            return
        }
        let (frame, path) = areas(rect)
        frame.drawRule(on: &canvas)
        let columns = FaultColumns(width: frame.list.columns)
        drawHeading(model, columns, in: frame.heading, on: &canvas)
        canvas.clipped(to: frame.list) { canvas in
            for (line, row) in state.window.rows(count: state.list.count, height: frame.list.rows).enumerated() {
                let area = frame.list.row(line)
                draw(state.list[row], model, columns, in: area, on: &canvas)
                if state.list[row] == state.origin { canvas.restyle(area, .selected) }
            }
        }
        canvas.clipped(to: path.whole) { canvas in
            FaultPathPanel(model: model).draw(in: path, on: &canvas)
        }
    }

    private static func drawHeading(_ model: Model, _ columns: FaultColumns, in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(.columnHeader))
        for (title, place, align) in [
            ("Time", columns.time, Alignment.right), ("Verdict", columns.verdict, .left), ("Error", columns.error, .left),
            ("Began in", columns.origin, .left),
        ] {
            let point = Point(column: rect.left + place.lowerBound, row: rect.top)
            canvas.write(title, at: point, style: Style(.columnHeader), limit: place.count, align: align)
        }
    }

    private static func draw(_ origin: TaskID, _ model: Model, _ columns: FaultColumns, in rect: Rect, on canvas: inout Canvas) {
        func point(_ place: Range<Int>) -> Point { Point(column: rect.left + place.lowerBound, row: rect.top) }
        guard let task = model.store.task(origin) else {
            canvas.write("task \(origin.rawValue) is not kept any more", at: point(columns.verdict), style: Style(.dim))
            return
        }
        let words = TaskWords(model.store)
        canvas.write(
            ClockText.text(task.ended ?? 0), at: point(columns.time), style: Style(.dim), limit: columns.time.count, align: .right)
        if let (verdict, isPartial) = model.faults.verdict(of: origin) {
            let style = Style(verdict.role)
            let more = isPartial ? String(Character(model.glyphs[.ellipsis])) : ""
            canvas.put(verdict.canvasGlyph, at: point(columns.verdict), style: style)
            canvas.write(verdict.name + more, at: point(columns.verdict).moved(columns: 2), style: style, limit: columns.verdict.count - 2)
        }
        canvas.write(words.error(of: task) ?? "", at: point(columns.error), style: Style(.fault), limit: columns.error.count)
        canvas.write(words.name(of: task), at: point(columns.origin), style: Style(.text), limit: columns.origin.count)
    }
}

/// Where the parts of an error's line stand.
struct FaultColumns {
    let time: Range<Int>
    let verdict: Range<Int>
    let error: Range<Int>
    let origin: Range<Int>

    init(width: Int) {
        time = 1..<9
        verdict = 11..<23
        let free = max(20, width - 1 - 25)
        let errors = free * 11 / 20
        error = 24..<24 + errors
        origin = error.upperBound + 1..<max(error.upperBound + 2, width)
    }
}
