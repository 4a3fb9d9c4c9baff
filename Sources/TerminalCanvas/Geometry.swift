/// How much a terminal or a canvas holds, in character cells.
package struct Size: Hashable, Sendable {
    package var columns: Int
    package var rows: Int

    /// A negative count is taken as nothing, so that a panel may subtract its margins without asking first.
    package init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }

    package var isEmpty: Bool { columns == 0 || rows == 0 }
}

/// A cell's place: columns go right and rows go down from the canvas' top left, which is `(0, 0)`.
package struct Point: Hashable, Sendable {
    package var column: Int
    package var row: Int

    package init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }

    /// The point so many columns to the right and rows below.
    package func moved(columns: Int = 0, rows: Int = 0) -> Point {
        Point(column: column + columns, row: row + rows)
    }
}

/// A rectangle of cells, from `origin` on; an empty one contains no point and clips everything away.
package struct Rect: Hashable, Sendable {
    package var origin: Point
    package var size: Size

    package init(origin: Point, size: Size) {
        self.origin = origin
        self.size = size
    }

    package init(column: Int, row: Int, columns: Int, rows: Int) {
        self.init(origin: Point(column: column, row: row), size: Size(columns: columns, rows: rows))
    }

    package var left: Int { origin.column }
    package var top: Int { origin.row }
    /// The first column to the right of the rectangle.
    package var right: Int { origin.column + size.columns }
    /// The first row below the rectangle.
    package var bottom: Int { origin.row + size.rows }
    package var columns: Int { size.columns }
    package var rows: Int { size.rows }
    package var isEmpty: Bool { size.isEmpty }

    package func contains(_ point: Point) -> Bool {
        point.column >= left && point.column < right && point.row >= top && point.row < bottom
    }

    /// What both rectangles cover; empty, and at a place inside neither, when they do not meet.
    package func intersection(_ other: Rect) -> Rect {
        let left = max(left, other.left)
        let top = max(top, other.top)
        return Rect(
            column: left, row: top,
            columns: min(right, other.right) - left, rows: min(bottom, other.bottom) - top)
    }
}

/// What panels do with the rectangle that they are given. Nothing here can leave it: counts too large take all there is.
extension Rect {
    /// The rectangle without so many columns on either side and so many rows above and below.
    package func inset(columns: Int = 0, rows: Int = 0) -> Rect {
        Rect(
            column: left + min(columns, self.columns), row: top + min(rows, self.rows),
            columns: self.columns - 2 * columns, rows: self.rows - 2 * rows)
    }

    /// The rectangle's one row at `index`, counted from its top; empty when it has no such row.
    package func row(_ index: Int) -> Rect {
        rows(index..<index + 1)
    }

    /// The rectangle's rows of `range`, counted from its top, as far as it has them.
    package func rows(_ range: Range<Int>) -> Rect {
        let range = range.clamped(to: 0..<rows)
        return Rect(column: left, row: top + range.lowerBound, columns: columns, rows: range.count)
    }

    /// The rectangle's columns of `range`, counted from its left, as far as it has them.
    package func columns(_ range: Range<Int>) -> Rect {
        let range = range.clamped(to: 0..<columns)
        return Rect(column: left + range.lowerBound, row: top, columns: range.count, rows: rows)
    }

    /// So many rows off the top, and what is left below them.
    package func split(top count: Int) -> (top: Rect, rest: Rect) {
        let count = min(max(0, count), rows)
        return (rows(0..<count), rows(count..<rows))
    }

    /// So many rows off the bottom, and what is left above them.
    package func split(bottom count: Int) -> (bottom: Rect, rest: Rect) {
        let (rest, bottom) = split(top: rows - min(max(0, count), rows))
        return (bottom, rest)
    }

    /// So many columns off the left, and what is left beside them.
    package func split(left count: Int) -> (left: Rect, rest: Rect) {
        let count = min(max(0, count), columns)
        return (columns(0..<count), columns(count..<columns))
    }

    /// So many columns off the right, and what is left beside them.
    package func split(right count: Int) -> (right: Rect, rest: Rect) {
        let (rest, right) = split(left: columns - min(max(0, count), columns))
        return (right, rest)
    }
}
