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

extension Command {
    /// Where a key that moves goes, from a row of a list; nil for the other keys.
    func row(from row: Int, count: Int, page: Int) -> Int? {
        let target: Int
        switch self {
        case .up: target = row - 1
        case .down: target = row + 1
        case .pageUp: target = row - max(1, page - 1)
        case .pageDown: target = row + max(1, page - 1)
        case .first: target = 0
        case .last: target = count - 1
        case .left, .right, .open, .back, .nextScreen, .previousScreen, .screen, .filter, .sortNext, .sortPrevious, .reverse, .follow,
            .help,
            .quit, .repaint, .accept, .clear, .erase:
            return nil
        }
        return max(0, min(target, count - 1))
    }
}
