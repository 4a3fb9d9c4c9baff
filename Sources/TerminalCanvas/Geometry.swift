/// The size of a terminal or a canvas, in cells.
package struct Size: Hashable, Sendable {
    package var columns: Int
    package var rows: Int

    /// A negative count becomes 0, so that a panel may subtract its margins without a check.
    package init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }

    package var isEmpty: Bool { columns == 0 || rows == 0 }
}

/// A cell's position. `(0, 0)` is the canvas's top left; columns count to the right, rows downwards.
package struct Point: Hashable, Sendable {
    package var column: Int
    package var row: Int

    package init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }

    package func moved(columns: Int = 0, rows: Int = 0) -> Point {
        Point(column: column + columns, row: row + rows)
    }
}

/// A rectangle of cells. An empty one contains no point.
package struct Rect: Hashable, Sendable {
    package static let empty = Rect(column: 0, row: 0, columns: 0, rows: 0)

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

    /// The cells in both rectangles; empty if they do not overlap.
    package func intersection(_ other: Rect) -> Rect {
        let left = max(left, other.left)
        let top = max(top, other.top)
        return Rect(
            column: left, row: top,
            columns: min(right, other.right) - left, rows: min(bottom, other.bottom) - top)
    }
}

/// Parts of a rectangle. Counts are clamped, so that a part never exceeds it.
extension Rect {
    /// The rectangle without `columns` on either side and `rows` above and below.
    package func inset(columns: Int = 0, rows: Int = 0) -> Rect {
        Rect(
            column: left + min(columns, self.columns), row: top + min(rows, self.rows),
            columns: self.columns - 2 * columns, rows: self.rows - 2 * rows)
    }

    /// The row at `index`, counted from the top; empty if the rectangle has no such row.
    package func row(_ index: Int) -> Rect {
        rows(index..<index + 1)
    }

    /// The rows in `range`, counted from the top.
    package func rows(_ range: Range<Int>) -> Rect {
        let range = range.clamped(to: 0..<rows)
        return Rect(column: left, row: top + range.lowerBound, columns: columns, rows: range.count)
    }

    /// The columns in `range`, counted from the left.
    package func columns(_ range: Range<Int>) -> Rect {
        let range = range.clamped(to: 0..<columns)
        return Rect(column: left + range.lowerBound, row: top, columns: range.count, rows: rows)
    }

    /// Splits off the first `count` rows.
    package func split(top count: Int) -> (top: Rect, rest: Rect) {
        let count = min(max(0, count), rows)
        return (rows(0..<count), rows(count..<rows))
    }

    /// Splits off the last `count` rows.
    package func split(bottom count: Int) -> (bottom: Rect, rest: Rect) {
        let (rest, bottom) = split(top: rows - min(max(0, count), rows))
        return (bottom, rest)
    }

    /// Splits off the first `count` columns.
    package func split(left count: Int) -> (left: Rect, rest: Rect) {
        let count = min(max(0, count), columns)
        return (columns(0..<count), columns(count..<columns))
    }

    /// Splits off the last `count` columns.
    package func split(right count: Int) -> (right: Rect, rest: Rect) {
        let (rest, right) = split(left: columns - min(max(0, count), columns))
        return (right, rest)
    }
}
