import TerminalCanvas

/// A list on the screen: where it stands, which of its rows are in sight, and which is selected.
///
/// It knows numbers of rows and nothing of what they show. A screen whose rows change places finds its selection again and tells
/// ``keep(_:count:)``.
struct ListPane: Hashable, Sendable {
    /// Where the list stands, as of the last ``layOut(in:count:rowHeight:)``.
    private(set) var area = Rect(column: 0, row: 0, columns: 0, rows: 0)
    /// Rows that the list has.
    private(set) var count = 0
    /// Lines that a row takes.
    private(set) var rowHeight = 1
    /// The first row in sight, as long as the list is long enough. It is not lost in a list that is short for a moment.
    private(set) var top = 0
    private(set) var selected: Int?

    /// Rows that there is room for.
    var height: Int { area.rows / rowHeight }

    /// The rows in sight.
    var rows: Range<Int> {
        let first = max(0, min(top, count - height))
        return first..<max(first, min(count, first + height))
    }

    /// Rows below those in sight.
    var countBelow: Int { count - rows.upperBound }

    mutating func layOut(in area: Rect, count: Int, rowHeight: Int = 1) {
        self.area = area
        self.rowHeight = rowHeight
        self.count = count
    }

    mutating func setCount(_ count: Int) {
        self.count = count
    }

    /// Puts the top to a row, as far as the list goes.
    mutating func setTop(_ row: Int) {
        top = max(0, min(row, count - height))
    }

    mutating func scroll(by rows: Int) {
        setTop(self.rows.lowerBound + rows)
    }

    /// Scrolls as little as possible to show a row.
    mutating func show(_ row: Int) {
        if row < top { top = row }
        if row >= top + height { top = row - height + 1 }
        setTop(top)
    }

    /// Selects a row and shows it; nil for none.
    mutating func select(_ row: Int?) {
        selected = row
        if let row { show(row) }
    }

    /// Selects a row without showing it; nil for none.
    mutating func mark(_ row: Int?) {
        selected = row
    }

    /// The selection is at another row now, or gone. It stays in its line of the screen if it was in sight.
    mutating func keep(_ row: Int?, count: Int) {
        let line = selected.map { $0 - top }
        self.count = count
        selected = row
        if let row, let line, (0..<height).contains(line) { setTop(row - line) } else { setTop(top) }
    }

    /// The row to which a way leads from the selected one, or from the top where none is; nil for the ways sideways and in an empty list.
    func target(of movement: Movement) -> Int? {
        let start = selected ?? (movement == .down ? rows.lowerBound - 1 : rows.lowerBound)
        return count > 0 ? movement.row(from: start, count: count, page: height) : nil
    }

    /// Scrolls a list that has no selection.
    mutating func scroll(_ movement: Movement) {
        if let row = movement.row(from: rows.lowerBound, count: max(0, count - height) + 1, page: height) { setTop(row) }
    }

    func row(at point: Point) -> Int? {
        let row = rows.lowerBound + (point.row - area.top) / rowHeight
        return area.contains(point) && row < count ? row : nil
    }

    /// Draws the rows in sight, each in its place, and marks the selected one.
    func draw(on canvas: inout Canvas, _ drawRow: (_ row: Int, _ place: Rect, _ canvas: inout Canvas) -> Void) {
        canvas.clipped(to: area) { canvas in
            for (line, row) in rows.enumerated() {
                let place = area.rows(line * rowHeight..<(line + 1) * rowHeight)
                drawRow(row, place, &canvas)
                if row == selected { canvas.restyle(place.row(0), .selected) }
            }
        }
    }
}
