import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// The graph's other face: the selected chain as boxes from left to right.
enum BoxesScreen {
    static func pictureArea(_ body: Rect) -> Rect {
        body.split(bottom: 1).rest
    }

    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        let boxes = model.graph.boxes
        let (status, area) = rect.split(bottom: 1)
        guard !boxes.layout.boxes.isEmpty else {
            EmptyNote.draw("No task yet: its chain is drawn here as soon as the program makes one.", in: area, on: &canvas)
            return
        }
        BoxesPanel(model: model).draw(in: area, on: &canvas)
        drawMinimap(boxes, besides: model.selection.flatMap(boxes.box), in: area, on: &canvas)
        drawStatus(model, in: status, on: &canvas)
    }

    /// Where the window is in a picture that is larger; in a corner where it does not cover the selected box.
    private static func drawMinimap(_ boxes: BoxesState, besides selected: Box?, in rect: Rect, on canvas: inout Canvas) {
        let layout = boxes.layout
        guard layout.columns > rect.columns || layout.rows > rect.rows, rect.columns >= 50, rect.rows >= 12 else { return }
        let columns = min(26, max(10, rect.columns / 4))
        let rows = max(4, min(8, rect.rows / 4, layout.rows / 2 + 2))
        let corners = [
            Point(column: rect.right - columns, row: rect.bottom - rows), Point(column: rect.right - columns, row: rect.top),
            Point(column: rect.left, row: rect.bottom - rows), rect.origin,
        ]
        let areas = corners.map { Rect(column: $0.column, row: $0.row, columns: columns, rows: rows) }
        let box = selected.map { box in
            Rect(
                column: rect.left + box.column - boxes.origin.column, row: rect.top + box.row - boxes.origin.row, columns: box.columns,
                rows: box.rows)
        }
        let area = areas.first { area in box.map { area.intersection($0).isEmpty } ?? true } ?? areas[0]
        canvas.fill(area)
        canvas.frame(area)
        let inside = area.inset(columns: 1, rows: 1)
        func column(_ column: Int) -> Int { min(inside.columns - 1, column * inside.columns / max(1, layout.columns)) }
        func row(_ row: Int) -> Int { min(inside.rows - 1, row * inside.rows / max(1, layout.rows)) }
        for box in layout.boxes {
            canvas.put(
                .bullet, at: inside.origin.moved(columns: column(box.column + box.columns / 2), rows: row(box.row + box.rows / 2)),
                style: Style(.dim))
        }
        let (left, top) = (column(boxes.origin.column), row(boxes.origin.row))
        let (right, bottom) = (column(boxes.origin.column + rect.columns - 1), row(boxes.origin.row + rect.rows - 1))
        let window = Rect(
            column: inside.left + left, row: inside.top + top, columns: min(right, inside.columns - 1) - left + 1,
            rows: min(bottom, inside.rows - 1) - top + 1)
        canvas.restyle(window, .selected)
    }

    private static func drawStatus(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        let boxes = model.graph.boxes
        let name = boxes.chain.map { NextText.name(of: $0, in: model) } ?? ""
        var spans = [
            Span(" chain of ", .dim), Span(name.fitting(rect.columns / 3, model.glyphs), .title, .bold),
            Span("  \(CountText.text(boxes.layout.boxes.count, "task"))", .dim),
        ]
        if boxes.isPartial { spans.append(Span("  not all of it: the nearest \(BoxesState.taskLimit)", .warning)) }
        if let loop = boxes.layout.loops.first {
            spans.append(Span("  \(NextText.name(of: loop.from, in: model)) waits for itself", .warning))
        }
        canvas.write(spans, at: rect.origin, end: rect.right)
    }
}
