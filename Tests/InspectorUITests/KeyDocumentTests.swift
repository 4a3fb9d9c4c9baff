import Foundation
import InspectorTestKit
import TerminalCanvas
import Testing

@testable import InspectorUI

/// `Docs/Keys.md` is written from the key table, as the help is.
struct KeyDocumentTests {
    @Test("Docs/Keys.md has the keys of every mode")
    func keys() throws {
        let table = ScreenList.standard.keys
        let general = [("Every screen", Self.rows(table.general))]
        let modes = table.modes.map { ($0.title, Self.rows($0.rows)) }
        let lines = (general + modes).filter { !$0.1.isEmpty }.map { title, rows in
            ["## \(title)", ""] + DocumentTable.lines(["Key", "Does"], rows)
        }
        #expect(try DocumentTable("keys", of: "Keys.md").difference(from: Array(lines.joined(separator: [""]))) == nil)
    }

    @Test("Docs/Keys.md says of each key that commands a program which programs take commands")
    func control() throws {
        let text = try Self.document("Docs/Keys.md")
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        let names = KeyRow.control.flatMap { $0.shown.split(separator: " ") }.map { "`\($0)`" }
        let sentence = try #require(words.split(separator: ". ").first { $0.contains("steer programs on Hopscope's own task runtime") })
        #expect(!names.isEmpty && names.allSatisfy { sentence.contains($0) }, "\(sentence)")
    }

    @Test("Each key that an answer of README names does something on the way that the answer leads")
    func answers() throws {
        let lines = try Self.document("README.md").split(separator: "\n").drop { $0 != "## What it answers" }.prefix { $0 != "## Install" }
        let ways = lines.compactMap { line -> [Substring]? in
            guard let then = line.range(of: ", then ") else { return nil }
            let parts = line[then.upperBound...].split(separator: "`", omittingEmptySubsequences: false)
            return parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
        }
        #expect(ways.count >= 3 && ways.allSatisfy { !$0.isEmpty })
        for way in ways {
            var session = Session(SampleTraces.kinesis, screen: OverviewScreen.name)
            for key in way {
                let before = session.lines.dropLast()
                session.press(.character(try #require(key.first)))
                #expect(key.count == 1 && session.lines.dropLast() != before, "\(way)")
            }
        }
    }

    private static func document(_ path: String) throws -> String {
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized
        return try String(contentsOf: top.appendingPathComponent(path), encoding: .utf8)
    }

    /// Keys with one name stand in one row, as in the help.
    private static func rows(_ rows: [KeyRow]) -> [[String]] {
        var listed: Set<String> = []
        return rows.filter { !$0.help.isEmpty && listed.insert($0.shown).inserted }.map { ["`\($0.shown)`", $0.help] }
    }
}
