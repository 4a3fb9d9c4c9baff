import TerminalCanvas

/// The palette that lies over a screen: a line to type in, and below it what fits.
enum PaletteScreen {
    static func area(_ model: Model) -> Rect {
        let body = model.areas.body
        let columns = min(body.columns - 2, 72)
        let rows = min(body.rows, 16)
        return Rect(column: body.left + (body.columns - columns) / 2, row: body.top, columns: columns, rows: rows)
    }

    static func list(_ model: Model) -> Rect {
        area(model).inset(columns: 1, rows: 1).split(top: 1).rest
    }

    static func draw(_ model: Model, on canvas: inout Canvas) {
        guard let palette = model.palette else { return }
        let area = area(model)
        canvas.fill(area)
        canvas.frame(area)
        canvas.write(" Commands ", at: area.origin.moved(columns: 2), style: Style(.title, .bold))
        let line = area.inset(columns: 1, rows: 1).row(0)
        canvas.fill(line, style: Style(.filter))
        let column = canvas.write([Span(" :" + palette.text, .filter, .bold)], at: line.origin, end: line.right - 1)
        canvas.write(" ", at: Point(column: column, row: line.top), style: Style(.filter, .reversed))
        let entries = model.paletteEntries
        let list = list(model)
        for (place, row) in palette.window.rows(count: entries.count, height: list.rows).enumerated() {
            let area = list.row(place)
            let keys = entries[row].keys
            canvas.write(entries[row].text, at: area.origin.moved(columns: 1), limit: area.columns - 14)
            canvas.write(keys, at: area.origin.moved(columns: area.columns - 12), style: Style(.key), limit: 11, align: .right)
            if row == palette.row { canvas.restyle(area, .selected) }
        }
        guard entries.isEmpty else { return }
        let query = PaletteList.query(in: palette.text)
        let text = query.flatMap(PaletteList.problem) ?? "Nothing here has these letters."
        for (row, line) in WrappedText.lines(text, columns: list.columns - 2).prefix(list.rows).enumerated() {
            canvas.write(line, at: list.origin.moved(columns: 1, rows: row), style: Style(.dim))
        }
    }
}
