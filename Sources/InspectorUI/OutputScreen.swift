import TerminalCanvas
import TraceAnalysis
import TraceStore

/// What the inspected program printed, until the moment that is shown.
enum OutputScreen {
    static func areas(_ body: Rect) -> (list: Rect, line: Rect) {
        let (line, list) = body.split(bottom: 1)
        return (list, line)
    }

    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        guard let output = model.output else { return }
        let areas = areas(rect)
        let count = model.printedCount
        let rows = output.window.rows(count: count, height: areas.list.rows)
        canvas.clipped(to: areas.list) { canvas in
            for (place, line) in rows.enumerated() { draw(line, of: output, in: areas.list.row(place), on: &canvas) }
            if output.isTyping, rows.upperBound == count { drawCursor(output, in: areas.list.row(rows.count - 1), on: &canvas) }
        }
        if count == 1, output.text.lines[0].text.isEmpty {
            let text = output.isOver ? "The program has ended and printed nothing." : "The program has printed nothing so far."
            EmptyNote.draw(text, in: areas.list, on: &canvas)
        }
        drawLine(model, output, rows, of: count, in: areas.line, on: &canvas)
    }

    private static func draw(_ line: Int, of output: OutputState, in area: Rect, on canvas: inout Canvas) {
        let text = output.text.lines[line].text
        let shown = output.pan > 0 ? text.dropping(columns: output.pan) : text[...]
        canvas.write(shown, at: area.origin)
        guard output.matches(line) else { return }
        canvas.restyle(area, line == output.found ? .selected : .underline)
    }

    private static func drawCursor(_ output: OutputState, in area: Rect, on canvas: inout Canvas) {
        let before = CharacterWidth.of(output.text.lines[output.text.lines.count - 1].text.prefix(output.text.cursor))
        let column = before + max(0, output.text.cursor - output.text.lines[output.text.lines.count - 1].text.count) - output.pan
        guard (0..<area.columns).contains(column) else { return }
        canvas.restyle(Rect(column: area.left + column, row: area.top, columns: 1, rows: 1), .reversed)
    }

    /// Below the text: who has the keys, what is looked for, and what of it all is in sight.
    private static func drawLine(
        _ model: Model, _ output: OutputState, _ rows: Range<Int>, of count: Int, in rect: Rect, on canvas: inout Canvas
    ) {
        canvas.fill(rect, style: Style(output.isTyping ? .held : .filter))
        let place = place(output, rows, of: count)
        let end = rect.right - CharacterWidth.of(place) - 3
        if output.isTyping {
            canvas.write([Span(" Keys go to the program; Ctrl-] takes them back", .held, .bold)], at: rect.origin, end: end)
        } else if output.isSearching || !output.search.isEmpty {
            let column = canvas.write([Span(" /" + output.search, .filter, output.isSearching ? .bold : [])], at: rect.origin, end: end)
            if output.isSearching {
                canvas.write(" ", at: Point(column: min(column, end), row: rect.top), style: Style(.filter, .reversed))
            }
            if !output.search.isEmpty, output.found == nil {
                canvas.write([Span("not there", .warning)], at: Point(column: column + 3, row: rect.top), end: end)
            }
        }
        canvas.write(place, at: rect.origin, style: Style(output.isTyping ? .held : .filter), limit: rect.columns - 1, align: .right)
    }

    private static func place(_ output: OutputState, _ rows: Range<Int>, of count: Int) -> String {
        let dropped = output.text.droppedCount
        let gone = dropped > 0 ? "\(CountText.text(dropped)) older lines not kept, " : ""
        let total = count == 1 && output.text.lines[0].text.isEmpty ? 0 : count
        let pan = output.pan > 0 ? "from column \(output.pan + 1), " : ""
        guard total > rows.count else { return gone + pan + CountText.text(total, "line") }
        let lines = "lines \(CountText.text(rows.lowerBound + 1 + dropped))-\(CountText.text(rows.upperBound + dropped))"
        return gone + pan + "\(lines) of \(CountText.text(total + dropped))\(output.follows ? ", following" : "")"
    }
}

extension StringProtocol {
    /// Without its first columns; half of a wide character is a blank.
    fileprivate func dropping(columns: Int) -> Substring {
        var left = columns
        var rest = Substring(self)
        while left > 0, let first = rest.first {
            left -= CharacterWidth.of(String(first))
            rest = rest.dropFirst()
        }
        return left < 0 ? " " + rest : rest
    }
}
