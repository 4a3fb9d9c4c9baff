import TerminalCanvas
import TraceAnalysis

/// A list on the screen: its area, its visible rows, and its selected row.
///
/// It knows only row numbers, not their contents. A screen whose rows move must find its selected row again and pass it to
/// ``keep(_:count:)``.
struct ListPane: Hashable, Sendable {
    /// The area of the list, set by the last ``layOut(in:count:rowHeight:)``.
    private(set) var area = Rect.empty
    /// The number of rows in the list.
    private(set) var count = 0
    /// The number of screen lines per row.
    private(set) var rowHeight = 1
    /// The first visible row, if the list is long enough. It survives while the list is short for a moment.
    private(set) var top = 0
    private(set) var selected: Int?
    /// Whether a list that does not fit has a scroll bar and a line with the numbers of the visible rows.
    private var hasScrollBar = true

    /// The number of rows that fit.
    var height: Int { (area.rows - positionRows) / rowHeight }

    private var isLong: Bool { count * rowHeight > area.rows }
    /// The last line of the area says which rows are visible, unless it is needed for a row.
    private var positionRows: Int { hasScrollBar && isLong && area.rows >= 4 ? 1 : 0 }

    /// The screen line below the last row.
    var end: Int { isLong ? area.bottom : area.top + count * rowHeight }

    /// The visible rows.
    var rows: Range<Int> {
        let first = max(0, min(top, count - height))
        return first..<max(first, min(count, first + height))
    }

    /// - Parameter hasScrollBar: False for a list that shows its visible part by other means.
    mutating func layOut(in area: Rect, count: Int, rowHeight: Int = 1, hasScrollBar: Bool = true) {
        self.area = area
        self.rowHeight = rowHeight
        self.hasScrollBar = hasScrollBar
        self.count = count
    }

    mutating func setCount(_ count: Int) {
        self.count = count
    }

    /// Scrolls to a top row, as far as the list allows.
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

    /// Selects a row and scrolls to it. Nil selects none.
    mutating func select(_ row: Int?) {
        selected = row
        if let row { show(row) }
    }

    /// Selects a row without scrolling. Nil selects none.
    mutating func highlight(_ row: Int?) {
        selected = row
    }

    /// Notes the new row of the selection, or nil if it is gone. A visible selection keeps its line on the screen.
    mutating func keep(_ row: Int?, count: Int) {
        let line = selected.map { $0 - top }
        self.count = count
        selected = row
        if let row, let line, (0..<height).contains(line) { setTop(row - line) } else { setTop(top) }
    }

    /// The row that a movement reaches from `cursor`, from the selected row, or from the top. Nil for sideways movements and in an empty
    /// list.
    func target(of movement: Movement, from cursor: Int? = nil) -> Int? {
        let start = cursor ?? selected ?? (movement == .down ? rows.lowerBound - 1 : rows.lowerBound)
        return count > 0 ? movement.row(from: start, count: count, page: height) : nil
    }

    /// Selects the row that a movement reaches. False if it is selected and in sight already.
    @discardableResult
    mutating func move(_ movement: Movement) -> Bool {
        guard let row = target(of: movement) else { return false }
        let before = (selected, rows)
        select(row)
        return (selected, rows) != before
    }

    /// Scrolls a list without a selection. False if it is at that end already.
    mutating func scroll(_ movement: Movement) -> Bool {
        let before = rows
        if let row = movement.row(from: rows.lowerBound, count: max(0, count - height) + 1, page: height) { setTop(row) }
        return rows != before
    }

    func row(at point: Point) -> Int? {
        let row = rows.lowerBound + (point.row - area.top) / rowHeight
        return area.contains(point) && rows.contains(row) ? row : nil
    }

    /// Draws the visible rows, highlights the selected one, and shows the visible part of a list that does not fit.
    ///
    /// - Parameter cursor: the row to highlight while none is selected.
    func draw(
        on canvas: inout Canvas, cursor: Int? = nil, _ drawRow: (_ row: Int, _ rowArea: Rect, _ canvas: inout Canvas) -> Void
    ) {
        canvas.clipped(to: area) { canvas in
            for (line, row) in rows.enumerated() {
                let rowArea = area.rows(line * rowHeight..<(line + 1) * rowHeight)
                drawRow(row, rowArea, &canvas)
                if row == selected ?? cursor { canvas.restyle(rowArea.row(0), .selected) }
            }
        }
        drawScrollBar(on: &canvas)
    }

    /// Draws the scroll bar and the line with the numbers of the visible rows, if the list does not fit. For screens that draw their rows
    /// without ``draw(on:_:)``.
    func drawScrollBar(on canvas: inout Canvas) {
        guard hasScrollBar, isLong else { return }
        canvas.scrollBar(rows, of: count, in: area.rows(0..<area.rows - positionRows))
        guard positionRows > 0 else { return }
        let position = area.row(area.rows - 1)
        canvas.fill(position)
        canvas.write(" " + Self.position(rows, of: count), at: position.origin, style: Style(.dim), limit: position.columns)
    }

    /// `rows 21-40 of 682`.
    static func position(_ rows: Range<Int>, of count: Int) -> String {
        "rows \(CountText.text(rows.lowerBound + 1))-\(CountText.text(rows.upperBound)) of \(CountText.text(count))"
    }
}
