import Foundation
import TaskEvents
import TerminalCanvas
import Testing
import TraceAnalysis
import TraceReport
import TraceStore

@testable import InspectorUI
@testable import Scenarios

/// Faults are counted by origin, wherever they are counted.
@Suite(.serialized)
struct FaultCountTests {
    @Test("Header, group of faulted tasks, Faults and both reports count the same faults", arguments: ScenarioList.all.map(\.name))
    func counts(name: String) async throws {
        let space = ScratchSpace()
        defer { space.remove() }
        let tree = try ScratchDirectory(in: space)
        try Data("a file".utf8).write(to: tree.url.appendingPathComponent("file"))
        let played = try await Played(try #require(ScenarioList.named(name)), path: tree.url.path, tasks: 200)
        tree.remove()
        let count = FaultAnalysis(played.store).origins().count
        let words = CountText.text(count, "fault")

        var model = Model(history: played.history, program: name, size: Size(columns: 120, rows: 60), glyphs: .unicode)
        #expect(lines(&model, .ended)[0].contains("  \(words)  "), "the header")
        #expect(model.shared.faults.count == count, "Faults")
        model.settings.grouping = .state
        _ = update(&model, .key(.character("1")))
        let group = lines(&model, .traced).first { $0.contains("✗ faulted  ") }
        #expect(
            group.map { $0.contains(", \(words) ") || $0.hasSuffix(", \(words)") } ?? (played.store.count(of: .faulted) == 0),
            "the group: \(group ?? "none")")

        let report = Report(of: played.store, program: name)
        var text = ""
        report.writeText(to: &text)
        let heading = text.split(separator: "\n").first { $0.hasPrefix("No faults") || $0.hasPrefix(words) }
        #expect(heading.map { $0.hasPrefix(count == 0 ? "No faults" : words) } ?? false, "the text report")
        var json = ""
        report.writeJSON(to: &json)
        #expect(json.components(separatedBy: "\"origin\":").count - 1 == count, "the JSON report")
    }

    /// The screen after a message, once all its lists are up to date.
    private func lines(_ model: inout Model, _ message: Message) -> [String] {
        _ = update(&model, message)
        var time: UInt64 = 0
        repeat {
            time += 1_000_000_000
            _ = update(&model, .frame(at: time))
        } while model.isArranging
        var canvas = Canvas(size: model.size, glyphs: .unicode)
        Frame.draw(model, on: &canvas)
        return canvas.lines()
    }
}
