import InspectorTestKit
import Testing

@testable import TraceAnalysis

/// The tables of `Docs/Warnings.md` and `Docs/Query.md` are written from the tables of rules and fields.
struct RuleDocumentTests {
    @Test("Docs/Warnings.md has each rule with its severity and threshold")
    func rules() throws {
        let rows = WarningRules.all.map { rule in
            ["`\(rule.id)`", rule.severity.name, rule.summary, rule.threshold?.text() ?? ""]
        }
        let lines = DocumentTable.lines(["Rule", "Severity", "Reports", "Threshold"], rows)
        #expect(try DocumentTable("rules", of: "Warnings.md").difference(from: lines) == nil)
    }

    @Test("Docs/Query.md has each field with its signs and an example")
    func fields() throws {
        let rows = QueryField.allCases.map { field in
            ["`\(field.rawValue)`", field.signs.map { "`\($0.rawValue)`" }.joined(separator: " "), field.summary, "`\(field.example)`"]
        }
        let lines = DocumentTable.lines(["Field", "Signs", "Value", "Example"], rows)
        #expect(try DocumentTable("fields", of: "Query.md").difference(from: lines) == nil)
    }
}
