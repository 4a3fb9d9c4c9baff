import TraceStore

/// What the inspected program printed, and the user's choices on the Output screen.
package struct OutputState {
    var text = PrintedText()
    /// The first line in sight.
    var window = ListWindow()
    /// Columns that the view is moved to the right by.
    var pan = 0
    /// Whether the newest line stays in sight.
    package internal(set) var follows = true
    /// Whether the program has ended.
    package internal(set) var isOver = false
    /// Whether keys go to the program.
    package internal(set) var isTyping = false
    /// What is looked for; empty for nothing.
    package internal(set) var search = ""
    /// Whether keys go into the search.
    package internal(set) var isSearching = false
    /// The line that was found.
    package internal(set) var found: Int?

    /// How many lines there were by a moment of the trace: lines follow one another in time.
    func count(until time: UInt64) -> Int {
        var (low, high) = (0, text.lines.count)
        while low < high {
            let middle = (low + high) / 2
            if text.lines[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether a line has what is looked for. Capital letters matter only where there are some in it.
    func matches(_ line: Int) -> Bool {
        guard !search.isEmpty else { return false }
        let text = text.lines[line].text
        return Self.isPlain(search) ? text.lowercased().contains(search) : text.contains(search)
    }

    static func isPlain(_ search: String) -> Bool { !search.contains(where: \.isUppercase) }
}
