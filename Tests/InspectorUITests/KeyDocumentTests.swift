import Foundation
import InspectorTestKit
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
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized
        let text = try String(contentsOf: top.appendingPathComponent("Docs/Keys.md"), encoding: .utf8)
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        let names = KeyRow.control.flatMap { $0.shown.split(separator: " ") }.map { "`\($0)`" }
        let sentence = try #require(words.split(separator: ". ").first { $0.contains("steer programs on Hopscope's own task runtime") })
        #expect(!names.isEmpty && names.allSatisfy { sentence.contains($0) }, "\(sentence)")
    }

    /// Keys with one name stand in one row, as in the help.
    private static func rows(_ rows: [KeyRow]) -> [[String]] {
        var listed: Set<String> = []
        return rows.filter { !$0.help.isEmpty && listed.insert($0.shown).inserted }.map { ["`\($0.shown)`", $0.help] }
    }
}
