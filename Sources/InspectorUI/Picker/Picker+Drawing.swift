import TerminalCanvas

extension Picker {
    package func draw(on canvas: inout Canvas) {
        let areas = PickerAreas(size: size, isFiltered: isTyping || !filter.isEmpty)
        canvas.fill(areas.header, style: Style(.header))
        let title = [Span(" Hopscope", .header, .bold), Span("  pick a process, a recording or a demo", .header)]
        canvas.write(title, at: areas.header.origin, end: areas.header.right)
        pane.draw(on: &canvas) { row, rowArea, canvas in draw(rows[row], in: rowArea, on: &canvas) }
        if rows.isEmpty { EmptyNote.draw("Nothing matches. Esc drops the filter.", in: areas.list, on: &canvas) }
        if !areas.filter.isEmpty {
            canvas.fill(areas.filter, style: Style(.filter))
            let column = canvas.write([Span(" /" + filter, .filter, .bold)], at: areas.filter.origin, end: areas.filter.right - 1)
            if isTyping { canvas.write(" ", at: Point(column: column, row: areas.filter.top), style: Style(.filter, .reversed)) }
        }
        canvas.horizontalLine(at: areas.rule.origin, columns: areas.rule.columns)
        drawSentence(in: areas.sentence, on: &canvas)
        PickerFooter.draw(in: areas.footer, glyphs, on: &canvas)
    }

    private func draw(_ row: Row, in rect: Rect, on canvas: inout Canvas) {
        switch row {
        case .blank: break
        case .title(let section):
            canvas.write(" " + contents.sections[section].title, at: rect.origin, style: Style(.title, .bold), limit: rect.columns)
        case .note(let section):
            canvas.write("   " + contents.sections[section].emptyNote, at: rect.origin, style: Style(.dim), limit: rect.columns)
        case .entry(let entry, _):
            // All sections share the columns.
            let names = rows.reduce(0) { if case .entry(let entry, _) = $1 { max($0, CharacterWidth.of(entry.name)) } else { $0 } }
            let width = min(names, max(16, rect.columns / 3))
            canvas.write(
                entry.name.fittingName(width, glyphs), at: rect.origin.moved(columns: 3), style: Style(.text, .bold), limit: width)
            let facts = rect.origin.moved(columns: width + 5)
            canvas.write(entry.facts, at: facts, style: Style(.dim), limit: max(0, rect.columns - width - 6))
        }
    }

    private func drawSentence(in rect: Rect, on canvas: inout Canvas) {
        let text = notice ?? selected?.sentence ?? ""
        let lines = WrappedText.lines(text, columns: max(20, rect.columns - 2))
        for (row, line) in lines.prefix(max(0, rect.rows - 1)).enumerated() {
            let style = Style(notice == nil ? .text : .warning)
            canvas.write(line, at: rect.row(row).origin.moved(columns: 1), style: style, limit: rect.columns - 2)
        }
        guard let selected, !selected.arguments.isEmpty else { return }
        let command = ["hopscope"] + selected.arguments.map { $0.contains(" ") ? "'\($0)'" : $0 }
        let spans = [Span(" Enter runs ", .dim), Span(command.joined(separator: " "), .key)]
        canvas.write(spans, at: rect.row(rect.rows - 1).origin, end: rect.right - 1)
    }
}
