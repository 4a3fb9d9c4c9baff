/// The text on a terminal, row by row.
struct TerminalScreen: Sendable {
    let text: String

    var rows: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The cell where a text begins, counting from 0; nil if it is not on the screen. No wide characters may precede it in its row.
    func position(of text: String) -> (column: Int, row: Int)? {
        for (row, line) in rows.enumerated() {
            if let range = line.firstRange(of: text) {
                return (line.distance(from: line.startIndex, to: range.lowerBound), row)
            }
        }
        return nil
    }
}

/// The terminal's modes while a program runs or after it.
struct TerminalModes: Hashable, Sendable {
    var isAlternateScreen: Bool
    var isMouseReported: Bool
    var isCursorShown: Bool
    /// Whether the line settings (`stty`) equal those before the program.
    var areSettingsKept = true

    /// The modes that a shell expects.
    static let restored = TerminalModes(isAlternateScreen: false, isMouseReported: false, isCursorShown: true)
}

/// A text that the terminal never showed.
struct NeverShown: Error, CustomStringConvertible {
    let what: String
    let screen: TerminalScreen

    var description: String { "Waited in vain for \(what). The terminal showed:\n\(screen.text)" }
}

/// A tmux command failed.
struct TerminalFailure: Error, CustomStringConvertible {
    let description: String
}
