import Foundation

/// `Docs/Walkthrough.md`: the keys that the reader presses, and the text that the screen then shows.
///
/// A chapter has a command in an `sh` block, a table of numbered steps (keys in backticks, expected text between “quotes”), and
/// screens in `text` blocks, each below a line that names its step.
struct Walkthrough: Sendable {
    struct Step: Sendable {
        var number: Int
        /// The keys, as the document spells them.
        var keys: [String]
        /// The text on the screen after the keys, without line breaks and backticks.
        var answers: [String]
        /// The screen in the document, and the lines that it occupies there.
        var screen: (text: String, lines: Range<Int>)?
    }

    struct Chapter: Sendable, CustomStringConvertible {
        var title: String
        /// The arguments after `hopscope`.
        var arguments: [String]
        var steps: [Step]

        var description: String { title }
    }

    struct Unreadable: Error, CustomStringConvertible {
        var description: String
    }

    let file: URL
    private(set) var lines: [Substring]
    private(set) var chapters: [Chapter] = []

    init(besideTest testFile: StaticString = #filePath) throws {
        file =
            URL(fileURLWithPath: "\(testFile)").deletingLastPathComponent().appendingPathComponent("../../Docs/Walkthrough.md")
            .standardizedFileURL
        lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        try read()
    }

    private mutating func read() throws {
        var shownStep: Int?
        var number = 0
        while number < lines.count {
            let line = lines[number]
            number += 1
            if line.hasPrefix("## ") {
                chapters.append(Chapter(title: String(line.dropFirst(3)), arguments: [], steps: []))
            } else if line.hasPrefix("```") {
                let start = number
                while number < lines.count, lines[number] != "```" { number += 1 }
                try take(block: start..<number, of: line.dropFirst(3), after: shownStep)
                shownStep = nil
                number += 1
            } else if line.hasPrefix("|"), let step = Self.step(line), !chapters.isEmpty {
                chapters[chapters.count - 1].steps.append(step)
            } else if line.hasPrefix("After step ") {
                shownStep = Int(line.dropFirst("After step ".count).prefix { $0.isNumber })
            }
        }
    }

    private mutating func take(block: Range<Int>, of language: Substring, after step: Int?) throws {
        guard !chapters.isEmpty else { return }
        let last = chapters.count - 1
        if language == "sh", chapters[last].arguments.isEmpty {
            let words = lines[block].first?.split(separator: " ").map(String.init) ?? []
            guard words.first == "hopscope" else { throw Unreadable(description: "“\(chapters[last].title)” runs no hopscope.") }
            chapters[last].arguments = Array(words.dropFirst().prefix { $0 != "#" })
        } else if language == "text" {
            guard let step, let index = chapters[last].steps.firstIndex(where: { $0.number == step }) else {
                throw Unreadable(description: "Line \(block.lowerBound): no line “After step …” says when this screen is to be seen.")
            }
            chapters[last].steps[index].screen = (lines[block].joined(separator: "\n"), block)
        }
    }

    /// A row `| 1 | `5` | … “expected text” … |`; nil for the table's other lines.
    private static func step(_ line: Substring) -> Step? {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count >= 3, let number = Int(cells[0]) else { return nil }
        let keys = cells[1].split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
        let answers = cells[2].split(separator: "“").dropFirst(cells[2].hasPrefix("“") ? 0 : 1).compactMap {
            $0.split(separator: "”").first
        }
        return Step(number: number, keys: keys.map { String($0.element) }, answers: answers.map(String.init), screen: nil)
    }

    /// Replaces a chapter's screens, keyed by step, and writes the document.
    mutating func replace(_ screens: [Int: String], in title: String) throws {
        let steps = chapters.first { $0.title == title }?.steps ?? []
        // From the last to the first, so that earlier line numbers stay valid.
        for step in steps.reversed() {
            guard let shown = step.screen, let text = screens[step.number] else { continue }
            lines.replaceSubrange(shown.lines, with: text.split(separator: "\n", omittingEmptySubsequences: false))
        }
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    }
}

extension TerminalScreen {
    /// The screen's text without the line breaks that its width causes.
    var sentences: String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing("`", with: "")
    }

    /// Whether the tabs or the footer name a key. Arrows need not be named.
    func offers(_ key: String) -> Bool {
        guard !["Up", "Down", "Left", "Right"].contains(key) else { return true }
        let tabs = rows[1].split { $0 == " " || $0 == "[" || $0 == "]" }
        let footer = rows.last { !$0.allSatisfy(\.isWhitespace) }?.split(separator: " ") ?? []
        return tabs.contains(Substring(key)) || footer.contains(Substring(key))
    }

    /// The screen's words of three or more letters below the header, whose parts depend on its width.
    var words: Set<String> {
        Set(rows.dropFirst().joined(separator: " ").split { !$0.isLetter }.filter { $0.count > 2 }.map(String.init))
    }

    /// The screen as the document shows it: no trailing blanks, no empty rows at the end.
    var trimmed: String {
        let rows = rows.map { row in
            String(row.reversed().drop { $0 == " " }.reversed())
        }
        return rows.reversed().drop(while: \.isEmpty).reversed().joined(separator: "\n")
    }
}
