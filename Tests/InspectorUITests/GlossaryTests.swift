import Foundation
import InspectorTestKit
import Testing
import TraceAnalysis

@testable import InspectorUI

/// `Docs/Glossary.md` against the tables from which screens, reports and messages take their words.
struct GlossaryTests {
    private let meanings: [String: String]
    private let words: [String]

    init() throws {
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized
        let text = try String(contentsOf: top.appendingPathComponent("Docs/Glossary.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        words = rows.map { $0[0] }
        meanings = Dictionary(rows.map { ($0[0], $0[1]) }) { first, _ in first }
    }

    @Test("Each word has one row, and the rows are in order")
    func order() {
        #expect(words == Set(words).sorted { $0.lowercased() < $1.lowercased() })
    }

    @Test("It lists the verdicts, the unread ones and the severities as the tables of their words have them")
    func tables() throws {
        let verdicts = Verdict.allCases.map(\.word)
        #expect(try #require(meanings["verdict"]).hasSuffix(": " + verdicts.joined(separator: ", ")))
        let unread = Verdict.allCases.filter(\.isUnread).map { "`\($0.word)`" }.sorted(by: >)
        #expect(try #require(meanings["unread"]).hasSuffix("(" + unread.joined(separator: ", ") + ")"))
        let severities = WarningSeverity.allCases.map(\.word)
        #expect(
            try #require(meanings["note"]).contains("the lowest severity of a finding, after *\(severities[0])* and *\(severities[1])*"))
        #expect(severities.dropFirst(2) == ["note"])
    }
}
