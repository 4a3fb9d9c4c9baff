import TerminalCanvas
import TraceAnalysis

extension OutputScreen {
    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        if let absence = Self.absence(shared) { return EmptyNote.draw(absence, in: pane.area, on: &canvas) }
        let rows = pane.rows
        pane.draw(on: &canvas) { row, rowArea, canvas in drawLine(row, in: rowArea, on: &canvas) }
        if isTyping, rows.upperBound == pane.count {
            canvas.clipped(to: pane.area) { drawCursor(in: pane.area.row(rows.count - 1), on: &$0) }
        }
        if isEmpty {
            let text = isOver ? "The program has ended and printed nothing." : "The program has printed nothing so far."
            EmptyNote.draw(text, in: pane.area, on: &canvas)
        }
        drawStatus(in: line, on: &canvas)
    }

    private var isEmpty: Bool { pane.count == 1 && text.lines[0].text.isEmpty }

    private func drawLine(_ line: Int, in area: Rect, on canvas: inout Canvas) {
        let whole = text.lines[line].text
        let shown = pan > 0 ? whole.dropping(columns: pan) : whole[...]
        canvas.write(shown, at: area.origin)
        guard matches(line) else { return }
        canvas.restyle(area, line == found ? .selected : .underline)
    }

    private func drawCursor(in area: Rect, on canvas: inout Canvas) {
        let last = text.lines[text.lines.count - 1].text
        let before = CharacterWidth.of(last.prefix(text.cursor))
        let column = before + max(0, text.cursor - last.count) - pan
        guard (0..<area.columns).contains(column) else { return }
        canvas.restyle(Rect(column: area.left + column, row: area.top, columns: 1, rows: 1), .reversed)
    }

    /// The line below the text: the target of keys, the search, and the range of visible lines.
    private func drawStatus(in rect: Rect, on canvas: inout Canvas) {
        canvas.fill(rect, style: Style(isTyping ? .held : .filter))
        let position = position
        let end = rect.right - CharacterWidth.of(position) - 3
        if isTyping {
            canvas.write([Span(" Keys go to the program; Ctrl-] takes them back", .held, .bold)], at: rect.origin, end: end)
        } else if isSearching || !search.isEmpty {
            let column = canvas.write([Span(" /" + search, .filter, isSearching ? .bold : [])], at: rect.origin, end: end)
            if isSearching {
                canvas.write(" ", at: Point(column: min(column, end), row: rect.top), style: Style(.filter, .reversed))
            }
            if !search.isEmpty, found == nil {
                canvas.write([Span("not there", .warning)], at: Point(column: column + 3, row: rect.top), end: end)
            }
        }
        canvas.write(position, at: rect.origin, style: Style(isTyping ? .held : .filter), limit: rect.columns - 1, align: .right)
    }

    /// The range of visible lines, in words.
    private var position: String {
        let rows = pane.rows
        let dropped = text.droppedCount
        let gone = dropped > 0 ? "\(CountText.text(dropped)) older lines not kept, " : ""
        // Below the last line break, the cursor stands in an empty line.
        let isLastEmpty = pane.count > 0 && text.lines[pane.count - 1].text.isEmpty
        let total = pane.count - (isLastEmpty ? 1 : 0)
        let moved = pan > 0 ? "from column \(pan + 1), " : ""
        guard total > rows.count else { return gone + moved + CountText.text(total, "line") }
        let lines = "lines \(CountText.text(rows.lowerBound + 1 + dropped))-\(CountText.text(min(rows.upperBound, total) + dropped))"
        return gone + moved + "\(lines) of \(CountText.text(total + dropped))\(follows ? ", following" : "")"
    }
}

extension StringProtocol {
    /// The text without its first columns. A blank replaces half of a wide character.
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
