/// The effect of a key, or of an entry of the palette.
enum Command: Sendable {
    case move(Movement)
    case open, back
    case go(to: ScreenName)
    case nextScreen, previousScreen
    /// Returns to the live state. If already live, goes to the end of the list.
    case latest
    /// Opens an overlay, with a text to begin with.
    case overlay(ScreenName, text: String = "")
    case copy
    /// Opens the source of what is selected in the user's editor.
    case edit
    /// A command that changes only the shared state.
    case shared(@Sendable (inout SharedState) -> [Effect])
    /// A command of one layer, also while another one is on top.
    case layer(ScreenName, action: any Sendable)

    static let repaint = shared { _ in [.repaint] }

    /// The notice if the command has changed nothing.
    ///
    /// - Parameter help: the command's words in the help or in the palette.
    func reasonIfIgnored(help: String) -> String {
        switch self {
        case .move(.up), .move(.pageUp), .move(.first): "There is nothing above."
        case .move(.down), .move(.pageDown), .move(.last), .latest: "There is nothing below."
        case .move(.left): "There is nothing further to the left."
        case .move(.right): "There is nothing further to the right."
        case .open: "There is nothing here to open."
        case .back: "There is nothing to go back from; q quits."
        case .go, .nextScreen, .previousScreen: "This screen is shown already."
        case .overlay, .copy, .edit, .shared, .layer: "Nothing changes: \(help)."
        }
    }
}

/// A direction of movement in a list, along a chain, or of the view.
enum Movement: Hashable, Sendable {
    case up, down, left, right, pageUp, pageDown, first, last

    /// The row that a movement reaches from `row` in a list. Nil for sideways movements.
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

    /// The number of lines that it moves. Nil for sideways movements and for movements to the ends.
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

/// One entry of the palette.
struct PaletteEntry: Sendable {
    var text: String
    /// The keys with the same effect. Empty if there are none.
    var keys = ""
    var command: Command
    /// Other words that users call it by.
    var otherWords = ""
}
