import TerminalCanvas

/// Wraps a sentence into lines of at most `columns`, broken between words. A longer word is cut at the end of the line.
enum WrappedText {
    /// At most `rows` lines. The last one ends with an ellipsis if the sentence is longer.
    static func lines(_ text: String, columns: Int, rows: Int, _ glyphs: GlyphSet) -> [String] {
        let lines = lines(text, columns: columns)
        guard lines.count > rows, rows > 0 else { return rows > 0 ? lines : [] }
        return lines[..<(rows - 1)] + [lines[(rows - 1)...].joined(separator: " ").fittingWords(columns, glyphs)]
    }

    /// The same, with a place that the last line ends with if the lines would not have it.
    static func lines(_ text: String, keeping place: String?, columns: Int, rows: Int, _ glyphs: GlyphSet) -> [String] {
        let lines = lines(text, columns: columns, rows: rows, glyphs)
        guard let place, let last = lines.last, !lines.contains(where: { $0.contains(place) }) else { return lines }
        let rest = Self.lines(text, columns: columns).dropFirst(lines.count - 1).joined(separator: " ")
        let room = columns - CharacterWidth.of(place) - 1
        guard room >= leastBeforePlace else { return lines }
        let cut = CharacterWidth.of(rest) > room ? rest.fittingWords(room, glyphs) : last
        return lines.dropLast() + ["\(cut) \(place)"]
    }

    /// The room below which a sentence says too little before its place.
    private static let leastBeforePlace = 24

    static func lines(_ text: String, columns: Int) -> [String] {
        if isOneLine(text, columns: columns) { return [text] }
        var lines: [String] = [""]
        var width = 0
        // A bold name goes on in the next line.
        var isBold = false
        for word in pieces(of: text, most: min(mostTogether, columns / 2)) {
            let needed = CharacterWidth.of(word)
            defer { if let mark = word.last(where: { $0 == .boldBegins || $0 == .boldEnds }) { isBold = mark == .boldBegins } }
            if width > 0, width + 1 + needed > max(1, columns) {
                lines.append(isBold ? "\(Character.boldBegins)\(word)" : String(word))
                width = needed
            } else {
                lines[lines.count - 1] += width == 0 ? String(word) : " \(word)"
                width += (width == 0 ? 0 : 1) + needed
            }
        }
        return lines
    }

    /// Whether a text is its only line as it is, which most are on a wide terminal. No character takes more columns than bytes.
    private static func isOneLine(_ text: String, columns: Int) -> Bool {
        let space = UInt8(ascii: " ")
        guard text.utf8.count <= columns, text.utf8.last != space else { return false }
        var last = space
        for byte in text.utf8 {
            if byte == space, last == space { return false }
            last = byte
        }
        return true
    }

    /// The room that words together take at most.
    private static let mostTogether = 20
    private static let units: Set<Substring> = ["ns", "us", "µs", "ms", "s", "%"]

    /// The words of a text. A number and its unit are one piece, and so are a few words in brackets: `12.0 ms`, `(over 12.0 ms)`.
    private static func pieces(of text: String, most: Int) -> [Substring] {
        let words = text.split(separator: " ")
        var pieces: [Substring] = []
        var next = 0
        while next < words.count {
            let end = endOfPiece(from: next, in: words)
            let piece = text[words[next].startIndex..<words[end].endIndex]
            let isTogether = end == next || CharacterWidth.of(piece) <= most
            pieces.append(isTogether ? piece : words[next])
            next = isTogether ? end + 1 : next + 1
        }
        return pieces
    }

    private static func endOfPiece(from first: Int, in words: [Substring]) -> Int {
        if words[first].first == "(", let end = words[first...].prefix(mostBracketed).firstIndex(where: { $0.contains(")") }) { return end }
        guard first + 1 < words.count, words[first].last?.isNumber == true else { return first }
        return units.contains(words[first + 1].prefix { $0.isLetter || $0 == "%" }) ? first + 1 : first
    }

    /// The most words in brackets that are one piece.
    private static let mostBracketed = 4
}

/// A sentence in the middle of an empty screen.
enum EmptyNote {
    static func draw(_ text: String, in rect: Rect, on canvas: inout Canvas) {
        for (index, line) in WrappedText.lines(text, columns: rect.columns - 4).enumerated() {
            let point = Point(column: rect.left, row: rect.top + rect.rows / 3 + index)
            canvas.write(line, at: point, style: Style(.dim), limit: rect.columns, align: .center)
        }
    }
}
