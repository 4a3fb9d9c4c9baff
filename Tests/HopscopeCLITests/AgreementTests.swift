import Foundation
import Testing

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
        let process = try await FinishedProcess.run(["env", "SPEED=8", script("agree"), Hopscope.path, scenario])
        #expect(process.status == 0, "\(process.output)\(process.errors)")
        #expect(process.output.hasPrefix("\(scenario): ") && process.output.hasSuffix("bytes agree\n"))
    }

    private func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Scripts/\(name)").path
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
            // The region has another reader, whose times may differ by microseconds.
            try first.output.write(toFile: folder.path("first"), atomically: true, encoding: .utf8)
            let compared = try await FinishedProcess.run([script("same-report"), folder.path("first"), folder.path("result")])
            #expect(compared.status == 0, "\(command): \(compared.output)\(compared.errors)")
        }
    }
}
