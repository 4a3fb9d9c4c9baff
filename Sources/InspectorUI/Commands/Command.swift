/// What a key does, or an entry of the palette.
enum Command: Sendable {
    case move(Movement)
    case open, back
    case go(to: ScreenName)
    case nextScreen, previousScreen
    /// Live again; there already, to the end of the list.
    case latest
    /// Opens the palette with this text in it.
    case palette(String)
    /// Does what is selected in the palette; erases a letter there.
    case choose, erase
    case help, copy
    /// What changes the shared state alone.
    case shared(@Sendable (inout SharedState) -> [Effect])
    /// What one screen does, whichever is shown.
    case screen(ScreenName, action: any Sendable)

    static let quit = shared { _ in [.quit] }
    static let repaint = shared { _ in [.repaint] }
}

/// A way to go: in a list, along a chain, or with the view.
enum Movement: Hashable, Sendable {
    case up, down, left, right, pageUp, pageDown, first, last

    /// The row of a list to which it leads from a row; nil for the ways sideways.
    func row(from row: Int, count: Int, page: Int) -> Int? {
        let target: Int
        switch self {
        case .first: target = 0
        case .last: target = count - 1
        case .up, .down, .pageUp, .pageDown, .left, .right:
            guard let lines = lines(page: page) else { return nil }
            target = row + lines
        }
        return max(0, min(target, count - 1))
    }

    /// How many lines it leads on; nil for the ways sideways and to the ends.
    func lines(page: Int) -> Int? {
        switch self {
        case .up: -1
        case .down: 1
        case .pageUp: -max(1, page - 1)
        case .pageDown: max(1, page - 1)
        case .first, .last, .left, .right: nil
        }
    }
}

/// One thing that the palette can do.
struct PaletteEntry: Sendable {
    var text: String
    /// The keys that do it too; empty where there are none.
    var keys = ""
    var command: Command
}
