import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

extension GraphScreen {
    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        if showsBoxes { drawBoxes(shared, on: &canvas) } else { drawRails(shared, on: &canvas) }
    }

    private func drawRails(_ shared: SharedState, on canvas: inout Canvas) {
        let area = rails.area
        guard !rails.lines.isEmpty else {
            let text =
                shared.program.hasEnded
                ? "The program ended without making a task."
                : "No task yet: the graph grows here as soon as the program makes one."
            EmptyNote.draw(text, in: area, on: &canvas)
            return
        }
        let columns = GraphColumns(width: area.columns, lanes: rails.lanes, needs: needs, pan: rails.pan)
        let chain = shared.selection.map { shared.store.chain(of: $0) }
        canvas.clipped(to: area) { canvas in
            for (index, line) in rails.lines.prefix(area.rows).enumerated() {
                let rowArea = area.row(index)
                switch line {
                case .task(let row):
                    RailsLine(row: row, shared: shared, selectedChain: chain).draw(columns, in: rowArea, on: &canvas)
                    if row.task == shared.selection { canvas.restyle(rowArea, .selected) }
                case .folded(let fold, let row):
                    FoldLine(fold: fold, row: row, shared: shared, selectedChain: chain).draw(columns, in: rowArea, on: &canvas)
                }
            }
        }
        canvas.scrollBar(rails.top..<rails.end, of: rails.rails.count, in: area)
        drawStatusOfRails(on: &canvas)
    }

    private func drawStatusOfRails(on canvas: inout Canvas) {
        var spans = [Span(" " + ListPane.position(rails.top..<rails.end, of: rails.rails.count), .dim)]
        if rails.isFollowing { spans.append(Span("  following the newest", .good)) }
        if rails.waitingCount > 0 { spans.append(Span("  \(CountText.text(rails.waitingCount)) more are being placed", .warning)) }
        if rails.pan > 0 { spans.append(Span("  moved by \(rails.pan) columns", .dim)) }
        canvas.write(spans, at: status.origin, end: status.right)
    }

    private func drawBoxes(_ shared: SharedState, on canvas: inout Canvas) {
        let area = boxes.area
        guard !boxes.layout.boxes.isEmpty else {
            EmptyNote.draw("No task yet: its chain is drawn here as soon as the program makes one.", in: area, on: &canvas)
            return
        }
        BoxesPanel(boxes, shared).draw(in: area, on: &canvas)
        drawMinimap(besides: shared.selection.flatMap(boxes.box), in: area, on: &canvas)
        drawStatusOfBoxes(shared, on: &canvas)
    }

    /// Draws the window's place in a larger picture. The map goes to a corner where it does not cover the selected box, and of these to one
    /// where it covers the fewest boxes.
    private func drawMinimap(besides selected: Box?, in rect: Rect, on canvas: inout Canvas) {
        let layout = boxes.layout
        guard layout.columns > rect.columns || layout.rows > rect.rows, rect.columns >= 50, rect.rows >= 12 else { return }
        let columns = min(26, max(10, rect.columns / 4))
        let rows = max(4, min(8, rect.rows / 4, layout.rows / 2 + 2))
        let corners = [
            Point(column: rect.right - columns, row: rect.bottom - rows), Point(column: rect.right - columns, row: rect.top),
            Point(column: rect.left, row: rect.bottom - rows), rect.origin,
        ]
        let areas = corners.map { Rect(column: $0.column, row: $0.row, columns: columns, rows: rows) }
        func place(of box: Box) -> Rect {
            Rect(
                column: rect.left + box.column - boxes.origin.column, row: rect.top + box.row - boxes.origin.row, columns: box.columns,
                rows: box.rows)
        }
        let visible = layout.boxes.lazy.map { place(of: $0) }.filter { !$0.intersection(rect).isEmpty }
        let free = areas.filter { area in selected.map { area.intersection(place(of: $0)).isEmpty } ?? true }
        let covered = free.map { area in visible.count { !area.intersection($0).isEmpty } }
        let area = covered.indices.min { covered[$0] < covered[$1] }.map { free[$0] } ?? areas[0]
        canvas.fill(area)
        canvas.frame(area)
        let inside = area.inset(columns: 1, rows: 1)
        // The window's corners can be outside of the picture.
        func column(_ column: Int) -> Int { max(0, min(inside.columns - 1, column * inside.columns / max(1, layout.columns))) }
        func row(_ row: Int) -> Int { max(0, min(inside.rows - 1, row * inside.rows / max(1, layout.rows))) }
        for box in layout.boxes {
            canvas.put(
                .bullet, at: inside.origin.moved(columns: column(box.column + box.columns / 2), rows: row(box.row + box.rows / 2)),
                style: Style(.dim))
        }
        let (left, top) = (column(boxes.origin.column), row(boxes.origin.row))
        let (right, bottom) = (column(boxes.origin.column + rect.columns - 1), row(boxes.origin.row + rect.rows - 1))
        let window = Rect(
            column: inside.left + left, row: inside.top + top, columns: right - left + 1, rows: bottom - top + 1)
        canvas.restyle(window, .selected)
    }

    private func drawStatusOfBoxes(_ shared: SharedState, on canvas: inout Canvas) {
        let rect = status
        let name = boxes.chain.map { shared.name(of: $0) } ?? ""
        var spans = [
            Span(" chain of ", .dim), Span(name.fittingName(rect.columns / 3, shared.glyphs), .title, .bold),
            Span("  \(CountText.text(boxes.taskCount, "task"))", .dim),
        ]
        if boxes.blockCount > 0 { spans.append(Span(", \(CountText.text(boxes.blockCount, "block"))", .dim)) }
        let (boxCount, all) = (boxes.layout.boxes.count, boxes.taskCount + boxes.blockCount)
        if boxCount < all { spans.append(Span(" in \(CountText.text(boxCount, "box", plural: "boxes"))", .dim)) }
        if boxes.isPartial { spans.append(Span("  not all of it: the nearest \(CountText.text(all))", .warning)) }
        if let loop = boxes.layout.loops.first {
            spans.append(Span("  \(shared.name(of: loop.from)) waits for itself", .warning))
        }
        canvas.write(spans, at: rect.origin, end: rect.right)
    }
}
