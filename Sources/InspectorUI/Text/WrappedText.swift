import TerminalCanvas

/// Wraps a sentence into lines of at most `columns`, broken between words. A longer word is cut at the end of the line.
enum WrappedText {
    /// At most `rows` lines. The last one ends with an ellipsis if the sentence is longer.
    static func lines(_ text: String, columns: Int, rows: Int, _ glyphs: GlyphSet) -> [String] {
        let lines = lines(text, columns: columns)
        guard lines.count > rows, rows > 0 else { return rows > 0 ? lines : [] }
        return lines[..<(rows - 1)] + [lines[(rows - 1)...].joined(separator: " ").fittingWords(columns, glyphs)]
    }

    static func lines(_ text: String, columns: Int) -> [String] {
        var lines: [String] = [""]
        var width = 0
        for word in text.split(separator: " ") {
            let needed = CharacterWidth.of(word)
            if width > 0, width + 1 + needed > max(1, columns) {
                lines.append(String(word))
                width = needed
            } else {
                lines[lines.count - 1] += width == 0 ? String(word) : " \(word)"
                width += (width == 0 ? 0 : 1) + needed
            }
        }
        return lines
    }
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
