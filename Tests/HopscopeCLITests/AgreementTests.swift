import Foundation
import Testing
import TraceTestKit

/// Reports of one run agree, whichever way the trace was read.
@Suite(.timeLimit(.minutes(5)))
struct AgreementTests {
    @Test(
        "The live run, its recording, its region, its killed region and a recording from outside give the same report",
        arguments: [
            "kinesis-success", "kinesis-submit-fails", "kinesis-save-fails", "kinesis-parallel", "gini-valedictorian", "swifttask-all",
            "alecrim-cancel", "recipes-invisible-error", "main-stall", "deadlock", "hash", "load",
        ])
    func agrees(scenario: String) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Scripts/agree").path
        let process = try await FinishedProcess.run(["env", "SPEED=8", script, Hopscope.path, scenario])
        #expect(process.status == 0, "\(process.output)\(process.errors)")
        #expect(process.output.hasPrefix("\(scenario): ") && process.output.hasSuffix("bytes agree\n"))
    }

    @Test("Repeated reports, checks and exports of one recording have the same bytes")
    func repeats() async throws {
        let folder = try await RecordedFolder(scenario: "kinesis-parallel")
        let formats = ["perfetto", "otlp", "dot", "mermaid", "jsonl"]
        let commands =
            [["report"], ["report", "--format", "json"], ["check"], ["check", "--format", "junit"], ["check", "--format", "json"]]
            + formats.map { ["export", "--to", $0] }
        for command in commands {
            let first = try await FinishedProcess.run([Hopscope.path] + command + [folder.recording])
            let second = try await FinishedProcess.run([Hopscope.path] + command + [folder.recording])
            let ofRegion = try await FinishedProcess.run([Hopscope.path] + command + [folder.region, "-o", folder.path("result")])
            #expect(!first.output.isEmpty)
            #expect(first.output == second.output, "\(command)")
            #expect(ofRegion.status == first.status)
            #expect(folder.scratch.text("result") == first.output, "\(command)")
        }
    }
}
