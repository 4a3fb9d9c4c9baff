import Foundation

/// A page of `Docs/Guides`: commands in `sh` blocks, each followed by a `text` block with lines that the commands print, in that order. In
/// such a line `…` stands for any text.
struct Guide: Sendable, CustomStringConvertible {
    struct Step: Sendable {
        var commands: String
        var answers: [String]
    }

    let name: String
    private(set) var steps: [Step] = []

    var description: String { name }

    static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized

    static func path(_ name: String) -> String { top.appendingPathComponent(name).path }

    /// All pages, by name.
    static func all() throws -> [Guide] {
        let folder = top.appendingPathComponent("Docs/Guides")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".md") && !["README.md", "faq.md", "test-hangs.md"].contains($0)
        }.sorted().map {
            Guide(name: $0, text: try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
        }
    }

    /// The README of a package in `Examples`.
    init(example: String) throws {
        self.init(name: example, text: try String(contentsOfFile: Self.path("Examples/\(example)/README.md"), encoding: .utf8))
    }

    private init(name: String, text: String) {
        self.name = name
        let blocks = text.split(separator: "```", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
        for (_, block) in blocks {
            let lines = block.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            switch (lines[0], steps.isEmpty) {
            case ("sh", _): steps.append(Step(commands: String(lines[1]), answers: []))
            case ("text", false): steps[steps.count - 1].answers += lines[1].split(separator: "\n").map(String.init)
            case _: break
            }
        }
    }

    /// The first answer that the output lacks after those before it. Runs of blanks count as one.
    static func missing(_ answers: [String], in output: String) -> String? {
        func words(_ line: some StringProtocol) -> String { line.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        var lines = output.split(separator: "\n").map(words)[...]
        for answer in answers {
            let parts = words(answer).split(separator: "…", omittingEmptySubsequences: false).map {
                NSRegularExpression.escapedPattern(for: String($0))
            }
            let pattern = parts.joined(separator: ".*")
            guard let found = lines.firstIndex(where: { $0.range(of: pattern, options: .regularExpression) != nil }) else { return answer }
            lines = lines[(found + 1)...]
        }
        return nil
    }
}
