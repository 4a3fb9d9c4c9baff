import TerminalCanvas

/// The help that lies over a screen: all keys, made of the key table, those of the screen below first.
enum HelpScreen {
    static func area(_ model: Model) -> Rect {
        let body = model.areas.body
        let columns = min(body.columns - 2, 76)
        let rows = min(body.rows, lines(model).count + 2)
        return Rect(
            column: body.left + (body.columns - columns) / 2, row: body.top + (body.rows - rows) / 2, columns: columns, rows: rows)
    }

    static func scrollLimit(_ model: Model) -> Int {
        max(0, lines(model).count - (area(model).rows - 2))
    }

    static func draw(_ model: Model, on canvas: inout Canvas) {
        let area = area(model)
        let inside = area.inset(columns: 1, rows: 1)
        let lines = lines(model)
        let first = min(model.help?.scroll ?? 0, scrollLimit(model))
        // What lies below would only show at the edges, cut.
        canvas.fill(model.areas.body)
        canvas.frame(area)
        canvas.write(" Keys ", at: area.origin.moved(columns: 2), style: Style(.title, .bold))
        for (row, line) in lines.dropFirst(first).prefix(inside.rows).enumerated() {
            canvas.write(line, at: inside.origin.moved(columns: 1, rows: row), end: inside.right - 1)
        }
        let left = lines.count - first - inside.rows
        if left > 0 {
            let more = " \(left) more below "
            canvas.write(more, at: Point(column: area.right - more.count - 2, row: area.bottom - 1), style: Style(.dim))
        }
    }

    private static func lines(_ model: Model) -> [[Span]] {
        let below = model.contextBelow
        var lines: [[Span]] = []
        var told: Set<String> = []
        for context in [below] + Context.allCases.filter({ $0 != below && $0 != .help }) {
            let entries = KeyTable.entries(in: context, \.help).filter { told.insert($0.shown + $0.help).inserted }
            guard !entries.isEmpty else { continue }
            if !lines.isEmpty { lines.append([]) }
            lines.append([Span(context.title, .title, .bold)])
            for entry in entries {
                let keys = Footer.keys(of: entry, model.glyphs)
                let gap = String(repeating: " ", count: max(1, 12 - CharacterWidth.of(keys)))
                lines.append([Span("  " + keys, .key, .bold), Span(gap + entry.help)])
            }
        }
        return lines
    }
}
