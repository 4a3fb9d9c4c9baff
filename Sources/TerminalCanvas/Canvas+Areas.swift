/// Areas, lines and bars.
extension Canvas {
    /// Draws a glyph in the canvas's glyph set.
    package mutating func put(_ glyph: Glyph, at point: Point, style: Style = .text) {
        put(glyph.spelling, at: point, style: style)
    }

    /// Draws a glyph that another target defines.
    package mutating func put(_ spelling: GlyphSpelling, at point: Point, style: Style = .text) {
        place(CellContent(glyphs[spelling]), width: 1, column: point.column, row: point.row, style: style)
    }

    /// Fills the rectangle with blanks in `style`.
    package mutating func fill(_ rect: Rect, style: Style = .text) {
        fill(rect, with: .space, style: style)
    }

    package mutating func horizontalLine(at point: Point, columns: Int, style: Style = Style(.border)) {
        let line = Rect(origin: point, size: Size(columns: columns, rows: 1))
        fill(line, with: CellContent(glyphs[.horizontal]), style: style)
    }

    package mutating func verticalLine(at point: Point, rows: Int, style: Style = Style(.border)) {
        let line = Rect(origin: point, size: Size(columns: 1, rows: rows))
        fill(line, with: CellContent(glyphs[.vertical]), style: style)
    }

    /// Draws the rectangle's outermost cells as a box with rounded corners; draws nothing below two columns or two rows.
    package mutating func frame(_ rect: Rect, style: Style = Style(.border)) {
        guard rect.columns >= 2, rect.rows >= 2 else { return }
        for row in [rect.top, rect.bottom - 1] {
            horizontalLine(at: Point(column: rect.left + 1, row: row), columns: rect.columns - 2, style: style)
        }
        for column in [rect.left, rect.right - 1] {
            verticalLine(at: Point(column: column, row: rect.top + 1), rows: rect.rows - 2, style: style)
        }
        put(.topLeft, at: rect.origin, style: style)
        put(.topRight, at: Point(column: rect.right - 1, row: rect.top), style: style)
        put(.bottomLeft, at: Point(column: rect.left, row: rect.bottom - 1), style: style)
        put(.bottomRight, at: Point(column: rect.right - 1, row: rect.bottom - 1), style: style)
    }

    /// Adds emphasis to the rectangle's cells, for example to the selected row. A wide character is included if its left half is.
    package mutating func restyle(_ rect: Rect, _ emphasis: Emphasis) {
        let rect = rect.intersection(clip)
        for row in rect.top..<rect.bottom {
            for index in index(rect.left, row)..<index(rect.right, row) where !cells[index].isContinuation {
                cells[index].style.emphasis.formUnion(emphasis)
                if index + 1 < cells.endIndex, cells[index + 1].isContinuation {
                    cells[index + 1].style.emphasis.formUnion(emphasis)
                }
            }
        }
    }

    /// Draws a horizontal bar of `value / total` of `columns`, in steps of an eighth of a column. Leaves the cells behind it unchanged.
    ///
    /// Any value above 0 shows at least one step; only a value of `total` or more fills the bar.
    package mutating func bar(_ value: Int, of total: Int, at point: Point, columns: Int, style: Style = Style(.bar)) {
        let steps = Glyph.levels(value, of: total, steps: columns * 8)
        for column in 0..<(steps + 7) / 8 {
            put(.bar(eighths: min(8, steps - column * 8)), at: point.moved(columns: column), style: style)
        }
    }

    /// Draws the last `columns` values as vertical bars scaled to `peak`, one per column, the newest at the right.
    package mutating func sparkline(
        _ values: some RandomAccessCollection<Int>, peak: Int, at point: Point, columns: Int, style: Style = Style(.bar)
    ) {
        let shown = values.suffix(max(0, columns))
        for (offset, value) in shown.enumerated() where value > 0 {
            let level = Glyph.levels(value, of: peak, steps: 8)
            put(.spark(eighths: level), at: point.moved(columns: columns - shown.count + offset), style: style)
        }
    }

    /// Marks the visible rows of a list in the last column of its area.
    package mutating func scrollBar(_ rows: Range<Int>, of count: Int, in rect: Rect) {
        guard rows.count < count, rect.rows > 0 else { return }
        let length = max(1, rect.rows * rows.count / count)
        let start = (rect.rows - length) * rows.lowerBound / (count - rows.count)
        for row in start..<start + length {
            put(.scrollThumb, at: Point(column: rect.right - 1, row: rect.top + row), style: Style(.border))
        }
    }

    /// Draws one vertical bar a column from the rectangle's bottom, scaled to `peak`, in steps of an eighth of a row.
    package mutating func chart(_ values: some Collection<Int>, peak: Int, in rect: Rect, style: Style = Style(.bar)) {
        for (offset, value) in values.prefix(rect.columns).enumerated() {
            let level = Glyph.levels(value, of: peak, steps: rect.rows * 8)
            for row in 0..<(level + 7) / 8 {
                let point = Point(column: rect.left + offset, row: rect.bottom - 1 - row)
                put(.spark(eighths: min(8, level - row * 8)), at: point, style: style)
            }
        }
    }

    private mutating func fill(_ rect: Rect, with content: CellContent, style: Style) {
        let rect = rect.intersection(clip)
        guard !rect.isEmpty else { return }
        for row in rect.top..<rect.bottom {
            openGap(rect.left..<rect.right, row: row)
            for index in index(rect.left, row)..<index(rect.right, row) { cells[index] = Cell(content, style) }
        }
    }
}
