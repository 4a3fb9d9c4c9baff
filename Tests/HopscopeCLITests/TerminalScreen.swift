/// What a terminal showed, row by row.
struct TerminalScreen: Sendable {
    let text: String

    var rows: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The cell where a text begins, counting from 0; nil if it is not on the screen. For rows without wide characters before it.
    func position(of text: String) -> (column: Int, row: Int)? {
        for (row, line) in rows.enumerated() {
            if let range = line.firstRange(of: text) {
                return (line.distance(from: line.startIndex, to: range.lowerBound), row)
            }
        }
        return nil
    }
}

/// How a program has, or has left, the terminal.
struct TerminalModes: Hashable, Sendable {
    var isAlternateScreen: Bool
    var isMouseReported: Bool
    var isCursorShown: Bool
    /// Whether the line settings (`stty`) are those from before the program.
    var areSettingsKept = true

    /// As a shell has it.
    static let restored = TerminalModes(isAlternateScreen: false, isMouseReported: false, isCursorShown: true)
}

/// A test waited for something that the terminal did not show.
struct NeverShown: Error, CustomStringConvertible {
    let what: String
    let screen: TerminalScreen

    var description: String { "Waited in vain for \(what). The terminal showed:\n\(screen.text)" }
}

/// The terminal itself could not be worked.
struct TerminalFailure: Error, CustomStringConvertible {
    let description: String
}
