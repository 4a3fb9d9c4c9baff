import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// One task closely: its times, its executor, its error, its links, the chain around it, its latest events.
enum DetailScreen {
    /// The lines that scroll, below the title.
    static func listArea(_ body: Rect) -> Rect {
        body.split(top: 2).rest
    }

    static func lines(_ model: Model, columns: Int) -> [DetailLine] {
        guard let id = model.detail?.task, let task = model.store.task(id) else { return [] }
        return DetailLines(model: model, task: task, columns: columns).all()
    }

    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        guard let id = model.detail?.task else { return }
        let list = listArea(rect)
        guard let task = model.store.task(id) else {
            EmptyNote.draw("Task \(id.rawValue) ended long ago and is not kept any more. Esc goes back.", in: list, on: &canvas)
            return
        }
        drawTitle(of: task, model, in: rect, on: &canvas)
        let lines = lines(model, columns: list.columns)
        let first = min(model.detail?.scroll ?? 0, max(0, lines.count - list.rows))
        canvas.clipped(to: list) { canvas in
            for (row, line) in lines.dropFirst(first).prefix(list.rows).enumerated() {
                draw(line, model, in: list.row(row), on: &canvas)
            }
        }
        let left = lines.count - first - list.rows
        guard left > 0 else { return }
        let more = " \(left + 1) more "
        canvas.write(more, at: Point(column: rect.right - more.count - 1, row: rect.bottom - 1), style: Style(.columnHeader))
    }

    private static func drawTitle(of task: TaskView, _ model: Model, in rect: Rect, on canvas: inout Canvas) {
        let mark = StateMark(task)
        let site = PrintableText.text(task.label.site)
        let spans = [
            Span(" \(TaskWords(model.store).name(of: task).fitting(rect.columns / 2, model.glyphs))", .title, .bold),
            Span("  task \(task.id.rawValue), \(task.kind.name)  ", .dim),
            Span("\(Character(model.glyphs[mark.canvasGlyph])) \(mark.word)", mark.role, .bold), Span("  " + site, .dim),
        ]
        canvas.write(spans, at: rect.origin, end: rect.right - 1)
        if task.isSynthesised {
            canvas.write("  The trace has lost its beginning.", at: rect.origin.moved(rows: 1), style: Style(.warning))
        }
    }

    private static func draw(_ line: DetailLine, _ model: Model, in rect: Rect, on canvas: inout Canvas) {
        if let rails = line.rails {
            let columns = GraphColumns(width: rect.columns - 1, lanes: model.graph.lanes, pan: 0)
            let inside = rect.split(left: 1).rest
            RailsLine(row: rails, model: model, selectedChain: nil).draw(columns, in: inside, on: &canvas)
            if rails.task == model.detail?.task { canvas.restyle(inside, .selected) }
            return
        }
        let column = canvas.write(line.spans, at: rect.origin, end: rect.right - 1)
        guard let share = line.share else { return }
        let bar = Rect(column: column + 8, row: rect.top, columns: max(0, min(40, rect.right - column - 10)), rows: 1)
        canvas.bar(share, of: 1000, at: bar.origin, columns: bar.columns)
        let percent = Point(column: column + 1, row: rect.top)
        canvas.write("\((share + 5) / 10) %", at: percent, style: Style(.dim), limit: 5, align: .right)
    }
}
