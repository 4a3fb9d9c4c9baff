import Foundation

/// `Docs/Walkthrough.md`: what it has its reader type and press, and what it says can be read then.
///
/// A chapter has a command in a block of `sh`, a table of numbered steps (keys in backticks, what is to be read between “quotes”), and screens
/// in blocks of `text`, each below a line that says after which step it is.
struct Walkthrough: Sendable {
    struct Step: Sendable {
        var number: Int
        /// As the document spells them.
        var keys: [String]
        /// What the screen says after them, but for line breaks and backticks.
        var answers: [String]
        /// The screen that the document shows, and the lines of the document that it takes.
        var screen: (text: String, lines: Range<Int>)?
    }

    struct Chapter: Sendable, CustomStringConvertible {
        var title: String
        /// What comes after `hopscope`.
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

    /// `| 1 | `5` | … “what stands there” … |`; nil for a table's other lines.
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

    /// Puts screens, by their steps, in the place of those that a chapter has, and writes the document.
    mutating func replace(_ screens: [Int: String], in title: String) throws {
        let steps = chapters.first { $0.title == title }?.steps ?? []
        // From below, so that the lines above stay where they were.
        for step in steps.reversed() {
            guard let shown = step.screen, let text = screens[step.number] else { continue }
            lines.replaceSubrange(shown.lines, with: text.split(separator: "\n", omittingEmptySubsequences: false))
        }
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    }
}

extension TerminalScreen {
    /// What it says, without the breaks that its width makes.
    var sentences: String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing("`", with: "")
    }

    /// Whether tabs or footer name a key. Arrows need not be named.
    func offers(_ key: String) -> Bool {
        guard !["Up", "Down", "Left", "Right"].contains(key) else { return true }
        let tabs = rows[1].split { $0 == " " || $0 == "[" || $0 == "]" }
        let footer = rows.last { !$0.allSatisfy(\.isWhitespace) }?.split(separator: " ") ?? []
        return tabs.contains(Substring(key)) || footer.contains(Substring(key))
    }

    /// Its words of three letters and more below the header, whose parts come and go with their widths.
    var words: Set<String> {
        Set(rows.dropFirst().joined(separator: " ").split { !$0.isLetter }.filter { $0.count > 2 }.map(String.init))
    }

    /// As a document shows it: no blanks at the ends of rows, no empty rows at its end.
    var trimmed: String {
        let rows = rows.map { row in
            String(row.reversed().drop { $0 == " " }.reversed())
        }
        return rows.reversed().drop(while: \.isEmpty).reversed().joined(separator: "\n")
    }
}
