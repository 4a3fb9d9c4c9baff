/// A grid of cells. Screens draw on it; drivers and tests read it.
///
/// A value type, so `changes(from:)` can compare two frames. Points are absolute. Cells outside the clip rectangle are not drawn, so a
/// panel may draw past its edges.
///
/// A wide character takes two cells and stays whole: overwriting one half blanks the other, and half a character at the clip's edge is a
/// blank. A scalar becomes a cell only if `Unicode.Scalar.screening` permits it.
package struct Canvas: Sendable {
    package let size: Size
    /// The glyph set that the terminal can show. In `.ascii`, other characters show as `?`, wide ones as `??`. Glyphs in a text, quotation
    /// marks and dashes show as their replacements.
    package let glyphs: GlyphSet
    /// The rectangle that drawing can change; see `clipped(to:_:)`.
    package private(set) var clip: Rect
    var cells: [Cell]
    var clusters = ClusterTable()

    package init(size: Size, glyphs: GlyphSet = .unicode) {
        self.size = size
        self.glyphs = glyphs
        clip = Rect(origin: Point(column: 0, row: 0), size: size)
        cells = Array(repeating: .blank, count: size.columns * size.rows)
    }

    package var bounds: Rect { Rect(origin: Point(column: 0, row: 0), size: size) }

    /// Blanks every cell and keeps the clip and the memory, so that the next frame allocates nothing.
    package mutating func clear() {
        for index in cells.indices { cells[index] = .blank }
        clusters.removeAll()
    }

    /// Runs `draw` with the clip narrowed to `rect`.
    package mutating func clipped<Result>(to rect: Rect, _ draw: (inout Canvas) throws -> Result) rethrows -> Result {
        let before = clip
        clip = clip.intersection(rect)
        defer { clip = before }
        return try draw(&self)
    }

    package subscript(point: Point) -> Cell {
        precondition(bounds.contains(point), "\(point) is outside a canvas of \(size).")
        return cells[index(point.column, point.row)]
    }

    /// The scalars of the character in one of this canvas's cells; empty for the right half of a wide character.
    package func scalars(of cell: Cell) -> String.UnicodeScalarView {
        if let scalar = cell.content.scalar { return String(Character(scalar)).unicodeScalars }
        if let cluster = cell.content.cluster { return clusters[cluster].unicodeScalars }
        return String.UnicodeScalarView()
    }

    /// The scalar of a cell that holds exactly one; nil for a cluster and for the right half of a wide character.
    package func scalar(of cell: Cell) -> Unicode.Scalar? {
        cell.content.scalar
    }

    /// The text of each row, without trailing blanks.
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

/// Placing characters. This code keeps wide characters whole.
extension Canvas {
    /// Places a character of `width` 1 or 2. A wide character that the clip cuts is a blank in the half inside.
    mutating func place(_ content: CellContent, width: Int, column: Int, row: Int, style: Style) {
        guard row >= clip.top, row < clip.bottom else { return }
        let shown = glyphs == .ascii && !content.isASCII ? CellContent(content.scalar.flatMap { GlyphSpelling.ascii[$0] } ?? "?") : content
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

    /// Prepares to overwrite `columns`: blanks the other halves of wide characters that are overwritten in part.
    mutating func openGap(_ columns: Range<Int>, row: Int) {
        let start = index(columns.lowerBound, row)
        let end = index(columns.upperBound, row)
        if columns.lowerBound > 0, cells[start].isContinuation { cells[start - 1].content = .space }
        if columns.upperBound < size.columns, cells[end].isContinuation { cells[end].content = .space }
    }
}
