import TerminalCanvas

/// A sentence in the middle of a screen that has nothing else to show.
enum EmptyNote {
    static func draw(_ text: String, in rect: Rect, on canvas: inout Canvas) {
        let words = text.split(separator: " ")
        var lines: [String] = [""]
        for word in words {
            let last = lines[lines.count - 1]
            if last.count + word.count + 1 > rect.columns - 4 {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = last.isEmpty ? String(word) : "\(last) \(word)"
            }
        }
        for (index, line) in lines.enumerated() {
            let row = rect.top + max(0, rect.rows / 3) + index
            canvas.write(line, at: Point(column: rect.left, row: row), style: Style(.dim), limit: rect.columns, align: .center)
        }
    }
}
