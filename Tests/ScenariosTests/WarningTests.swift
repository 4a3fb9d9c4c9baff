import Foundation
import Testing

@testable import Scenarios

/// The scenarios' warnings of rules that do not depend on time. The other rules need the pauses, which these tests leave out.
@Suite(.serialized)
struct WarningTests {
    private static let timeless: Set<String> = ["completed-twice", "swallowed-error", "unobserved-fault"]

    private static let meant: [String: Set<String>] = [
        "recipes-invisible-error": ["unobserved-fault"],
        "recipes-stream": ["swallowed-error"],
        "guides": ["unobserved-fault", "swallowed-error"],
    ]

    @Test("A scenario raises the warnings that it is about, and no others", arguments: ScenarioList.all.map(\.name))
    func warnings(name: String) async throws {
        let space = ScratchSpace()
        defer { space.remove() }
        let tree = try ScratchDirectory(in: space)
        let report = try await PlayedReport(try #require(ScenarioList.named(name)), path: tree.url.path)
        #expect(report.rules.intersection(Self.timeless) == Self.meant[name] ?? [])
        tree.remove()
    }

    @Test("Docs/Scenarios.md has a row for each scenario with these warnings", arguments: ScenarioList.all.map(\.name))
    func documentation(name: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("Docs/Scenarios.md"), encoding: .utf8)
        let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("| `\(name)` |") })
        if name != "guides" {
            for rule in Self.timeless { #expect(row.contains("`\(rule)`") == Self.meant[name]?.contains(rule) ?? false, "\(rule)") }
        }
    }
}
