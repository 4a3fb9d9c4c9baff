import Foundation

/// A part of a document in `Docs/` that is written from the code: the lines between `<!-- NAME -->` and `<!-- end of NAME -->`.
///
/// If the part differs, or if `HOPSCOPE_RECORD=1` is set, the comparison writes the part and fails, as that of a ``ScreenSnapshot`` does.
package struct DocumentTable {
    private let file: URL
    private let name: String

    /// - Parameter testFile: the caller's `#filePath`, two folders below the top of the repository.
    package init(_ name: String, of document: String, test testFile: StaticString = #filePath) {
        let top = URL(fileURLWithPath: "\(testFile)").deletingLastPathComponent().appendingPathComponent("../..").standardized
        file = top.appendingPathComponent("Docs/\(document)")
        self.name = name
    }

    /// Nil if the document has exactly these lines. Otherwise, the message of the failure.
    package func difference(from lines: [String]) throws -> String? {
        let text = try String(contentsOf: file, encoding: .utf8)
        let (begin, end) = ("<!-- \(name) -->\n", "<!-- end of \(name) -->")
        guard let start = text.range(of: begin), let stop = text.range(of: end, range: start.upperBound..<text.endIndex) else {
            return "\(file.path) has no lines '\(begin.dropLast())' and '\(end)'."
        }
        let isRecording = ProcessInfo.processInfo.environment["HOPSCOPE_RECORD"] == "1"
        let part = "\n" + lines.map { $0 + "\n" }.joined() + "\n"
        guard text[start.upperBound..<stop.lowerBound] != part || isRecording else { return nil }
        guard isRecording else {
            return "'\(name)' in \(file.path) differs from the code. HOPSCOPE_RECORD=1 writes it. It should be:\n\(part)"
        }
        try text.replacingCharacters(in: start.upperBound..<stop.lowerBound, with: part).write(to: file, atomically: true, encoding: .utf8)
        return "'\(name)' in \(file.path) was written. Look at it, then run the test again."
    }

    /// The lines of a table in Markdown. A bar in a cell is escaped.
    package static func lines(_ titles: [String], _ rows: [[String]]) -> [String] {
        func line(_ cells: [String]) -> String {
            "| " + cells.map { $0.replacing("|", with: "\\|").replacing("\n", with: " ") }.joined(separator: " | ") + " |"
        }
        return [line(titles), "|" + String(repeating: "---|", count: titles.count)] + rows.map(line)
    }
}
