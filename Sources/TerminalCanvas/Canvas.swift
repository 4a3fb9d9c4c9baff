/// A grid of cells that screens draw on, and that a driver or a test reads.
///
/// A value: screens change nothing else, and two frames can be compared (`changes(from:)`). Places are absolute; what lies outside the clip rectangle is
/// not drawn, so a panel may draw past its edges.
///
/// Wide characters take two cells, and stay whole: overwriting one half blanks the other; one that does not fit before the clip's edge is a blank there.
/// Of program text only what `Unicode.Scalar.screening` lets through becomes a cell.
package struct Canvas: Sendable {
    package let size: Size
    /// The spelling of glyphs, chosen by what the terminal can show. In `.ascii`, any other character of the text written shows as `?`, a wide one as `??`.
    package let glyphs: GlyphSet
    /// Where drawing has an effect; see `clipped(to:_:)`.
    package private(set) var clip: Rect
    var cells: [Cell]
    var clusters = ClusterTable()

    package init(size: Size, glyphs: GlyphSet = .unicode) {
        self.size = size
        self.glyphs = glyphs
        clip = Rect(origin: Point(column: 0, row: 0), size: size)
        cells = Array(repeating: .blank, count: size.columns * size.rows)
    }

    /// The whole canvas.
    package var bounds: Rect { Rect(origin: Point(column: 0, row: 0), size: size) }

    /// Makes every cell blank again and lifts nothing else: the canvas can be drawn anew without allocating.
    package mutating func clear() {
        for index in cells.indices { cells[index] = .blank }
        clusters.removeAll()
    }

    /// Draws with the clip narrowed to `rect`, and puts the clip back.
    package mutating func clipped<Result>(to rect: Rect, _ draw: (inout Canvas) throws -> Result) rethrows -> Result {
        let before = clip
        clip = clip.intersection(rect)
        defer { clip = before }
        return try draw(&self)
    }

    /// The cell at a place of the canvas.
    package subscript(point: Point) -> Cell {
        precondition(bounds.contains(point), "\(point) is outside a canvas of \(size).")
        return cells[index(point.column, point.row)]
    }

    /// The scalars of the character in one of this canvas' cells; none for the right half of a wide one.
    package func scalars(of cell: Cell) -> String.UnicodeScalarView {
        if let scalar = cell.content.scalar { return String(Character(scalar)).unicodeScalars }
        if let cluster = cell.content.cluster { return clusters[cluster].unicodeScalars }
        return String.UnicodeScalarView()
    }

    /// The scalar of a cell that holds a single one, as nearly all do; nil for a cluster and for the right half of a wide character.
    package func scalar(of cell: Cell) -> Unicode.Scalar? {
        cell.content.scalar
    }

    /// What the canvas shows, a string a row, without the blanks at a row's end.
    package func lines() -> [String] {
        (0..<size.rows).map { row in
            var line = String.UnicodeScalarView()
            for cell in cells[index(0, row)..<index(0, row + 1)] { line.append(contentsOf: scalars(of: cell)) }
            while line.last == " " { line.removeLast() }
            return String(line)
        }
    }

    func index(_ column: Int, _ row: Int) -> Int {
        row * size.columns + column
    }
}

/// Placing cells: the only code that writes them, and so the place where wide characters are kept whole.
extension Canvas {
    /// Puts a character of `width` 1 or 2; what of it lies outside the clip is left out, and half of a wide one is a blank.
    mutating func place(_ content: CellContent, width: Int, column: Int, row: Int, style: Style) {
        guard row >= clip.top, row < clip.bottom else { return }
        let shown = glyphs == .ascii && !content.isASCII ? CellContent("?") : content
        switch width {
        case 2 where glyphs == .ascii:
            place(shown, width: 1, column: column, row: row, style: style)
            place(shown, width: 1, column: column + 1, row: row, style: style)
        case 2 where column >= clip.left && column + 1 < clip.right:
            openGap(column..<column + 2, row: row)
            cells[index(column, row)] = Cell(content, style)
            cells[index(column + 1, row)] = Cell(.continuation, style)
        case 2:
            place(.space, width: 1, column: column, row: row, style: style)
            place(.space, width: 1, column: column + 1, row: row, style: style)
        default:
            guard column >= clip.left, column < clip.right else { return }
            openGap(column..<column + 1, row: row)
            cells[index(column, row)] = Cell(shown, style)
        }
    }

    /// Makes ready to overwrite columns of the canvas: blanks the halves, just outside of them, of wide characters that lose their other half.
    mutating func openGap(_ columns: Range<Int>, row: Int) {
        let start = index(columns.lowerBound, row)
        let end = index(columns.upperBound, row)
        if columns.lowerBound > 0, cells[start].isContinuation { cells[start - 1].content = .space }
        if columns.upperBound < size.columns, cells[end].isContinuation { cells[end].content = .space }
    }
}
