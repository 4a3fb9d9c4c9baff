/// Aligned columns of text. A column is as wide as its widest text. A text longer than the column's limit is cut with an ellipsis.
///
/// Each character counts as one column, so a name in a wide script shifts the rest of its row.
package struct TextTable {
    package struct Column {
        var heading: String
        var isNumber: Bool
        var limit: Int

        package init(heading: String = "", isNumber: Bool = false, limit: Int = 100) {
            self.heading = heading
            self.isNumber = isNumber
            self.limit = limit
        }
    }

    private let columns: [Column]
    private let ellipsis: String
    private var rows: [[String]] = []

    package init(_ columns: [Column], isASCII: Bool) {
        self.columns = columns
        ellipsis = isASCII ? "..." : "…"
    }

    /// Appends a row with at most one text per column.
    package mutating func append(_ words: [String]) {
        precondition(words.count <= columns.count, "\(words) has more words than the table has columns: \(columns.map(\.heading))")
        rows.append(zip(words, columns).map { word, column in word.shortened(to: column.limit, ellipsis) })
    }

    /// The lines, with the headings first if there are any. No line ends in a space. A column without text has no width.
    package func lines(indent: Int) -> [String] {
        let headings = columns.map(\.heading)
        let all = headings.allSatisfy(\.isEmpty) ? rows : [headings] + rows
        let widths = columns.indices.map { column in all.lazy.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return all.map { row in
            let cells = row.indices.lazy
                .filter { widths[$0] > 0 }
                .map { row[$0].padded(to: widths[$0], atStart: columns[$0].isNumber) }
            return (String(repeating: " ", count: indent) + cells.joined(separator: "  ")).withoutTrailingSpaces
        }
    }
}

extension String {
    func shortened(to width: Int, _ ellipsis: String) -> String {
        count > width ? prefix(max(width - ellipsis.count, 0)) + ellipsis : self
    }

    fileprivate func padded(to width: Int, atStart isAtStart: Bool) -> String {
        let padding = String(repeating: " ", count: max(width - count, 0))
        return isAtStart ? padding + self : self + padding
    }

    fileprivate var withoutTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
