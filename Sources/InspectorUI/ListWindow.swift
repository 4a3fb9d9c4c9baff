/// Which rows of a long list are on the screen.
struct ListWindow: Hashable, Sendable {
    /// The first row shown.
    private(set) var top = 0

    /// Puts the top to a row, as far as the list goes.
    mutating func setTop(_ row: Int, count: Int, height: Int) {
        top = max(0, min(row, count - height))
    }

    /// Scrolls as little as shows a row.
    mutating func show(_ row: Int, count: Int, height: Int) {
        if row < top { top = row }
        if row >= top + height { top = row - height + 1 }
        setTop(top, count: count, height: height)
    }

    func rows(count: Int, height: Int) -> Range<Int> {
        let first = max(0, min(top, count))
        return first..<max(first, min(count, first + height))
    }
}
