import Foundation
import Testing
import TraceTestKit

/// `hopscope export` and `check`, read by other tools.
@Suite(.timeLimit(.minutes(3)))
struct ExportCommandTests {
    private static let scenarios = ["kinesis-save-fails", "kinesis-parallel", "load"]

    private static func has(_ command: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(command)")
        }
    }

    private func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Scripts/\(name)").path
    }

    @Test("Graphviz draws the DOT export", .enabled(if: has("dot")), arguments: ["kinesis-save-fails", "kinesis-parallel"])
    func graphvizAccepts(scenario: String) async throws {
        let folder = try await RecordedFolder(scenario: scenario)
        #expect(try await Hopscope.run("export", folder.region, "--to", "dot", "-o", folder.path("graph.dot")).status == 0)
        let drawn = try await FinishedProcess.run(["dot", "-Tsvg", folder.path("graph.dot")])
        #expect(drawn.status == 0)
        #expect(drawn.errors.isEmpty)
        #expect(drawn.output.contains("saveRecord"))
    }

    @Test("The Perfetto export is valid, and its slices equal the report's", .enabled(if: has("python3")), arguments: scenarios)
    func perfettoAgreesWithTheReport(scenario: String) async throws {
        let folder = try await RecordedFolder(scenario: scenario)
        #expect(try await Hopscope.run("export", folder.recording, "--to", "perfetto", "-o", folder.path("trace.json")).status == 0)
        let validated = try await FinishedProcess.run([
            script("validate-perfetto.py"), folder.path("trace.json"), folder.path("report.json"),
        ])
        #expect(validated.status == 0, "\(validated.output)\(validated.errors)")
        #expect(validated.output.hasSuffix(" 0 wrong\n"))
    }

    @Test("OpenTelemetry's protocol definitions decode the OTLP export, and its spans equal the report's", arguments: scenarios)
    func otlpAgreesWithTheReport(scenario: String) async throws {
        let decoder = try await FinishedProcess.run(["python3", "-c", "import opentelemetry.proto.trace.v1.trace_pb2"])
        // Python's package is not installed everywhere; other tests check the JSON without it.
        guard decoder.status == 0 else { return }
        let folder = try await RecordedFolder(scenario: scenario)
        #expect(try await Hopscope.run("export", folder.region, "--to", "otlp", "-o", folder.path("trace.json")).status == 0)
        let validated = try await FinishedProcess.run([script("validate-otlp.py"), folder.path("trace.json"), folder.path("report.json")])
        #expect(validated.status == 0, "\(validated.output)\(validated.errors)")
    }

    @Test("A check exits with 0 or 1, accepts the rules to fail on, and refuses unknown ones")
    func checks() async throws {
        let folder = try await RecordedFolder()
        let passed = try await Hopscope.run("check", folder.recording)
        #expect(passed.status == 0, "\(passed.output)")
        #expect(passed.output.contains("passed"))
        let junit = try await Hopscope.run("check", folder.recording, "--fail-on", "swallowed-error", "--format", "junit")
        #expect(junit.status == 0)
        #expect(junit.output.hasPrefix("<?xml"))
        let unknown = try await Hopscope.run("check", folder.recording, "--fail-on", "bad-weather")
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("bad-weather") && unknown.errors.contains("unobserved-fault"))
    }

    @Test("A check of a trace with an unobserved fault exits with 1, unless it does not fail on that rule")
    func fails() async throws {
        let path = try TroubledTrace.write(to: ScratchFolder())
        let failed = try await Hopscope.run("check", path.file)
        #expect(failed.status == 1)
        #expect(failed.output.contains("unobserved-fault") && failed.output.contains("failed"))
        let one = try await Hopscope.run("check", path.file, "--fail-on", "unobserved-fault", "--format", "json")
        #expect(one.status == 1)
        #expect(try await Hopscope.run("check", path.file, "--fail-on", "none").status == 0)
        let report = try await Hopscope.run("check", path.file, "--format", "junit", "-o", path.folder.path("junit.xml"))
        #expect(report.status == 1)
        #expect(path.folder.text("junit.xml")?.contains("<failure") == true)
    }

    @Test("An interrupted export leaves the existing file unchanged", arguments: ["KILL", "TERM"])
    func leavesNoPart(signal: String) async throws {
        let folder = try await RecordedFolder(scenario: "load")
        try folder.scratch.write("before\n", to: "result")
        // The export is stopped before it can have finished, then killed.
        let shell = "\"$@\" & p=$!; kill -STOP $p; kill -\(signal) $p; kill -CONT $p; wait $p; exit 0"
        _ = try await FinishedProcess.run(
            ["sh", "-c", shell, "sh", Hopscope.path, "export", folder.recording, "--to", "jsonl", "-o", folder.path("result")])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.scratch.path)
        #expect(Set(names) == ["lanes", "run.hop", "report.json", "result"])
        let text = folder.scratch.text("result") ?? ""
        #expect(text == "before\n")
    }
}
