import Foundation
import TraceTestKit

/// A folder with the report, the recording and the region of one run of a scenario.
struct RecordedFolder: Sendable {
    let scratch: ScratchFolder
    /// The report that the run itself printed, as JSON.
    let report: String

    init(scenario: String = "kinesis-save-fails") async throws {
        scratch = try ScratchFolder()
        let lanes = try scratch.privateFolder("lanes")
        let process = try await FinishedProcess.run([
            "env", "HOPSCOPE=\(lanes)", Hopscope.path, "demo", scenario, "--speed", "10", "--no-ui",
            "--record", scratch.path("run.hop"), "--report", "json",
        ])
        report = process.output
        try scratch.write(report, to: "report.json")
    }

    func path(_ name: String) -> String { scratch.path(name) }

    var recording: String { path("run.hop") }

    var region: String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path("lanes"))) ?? []
        return path("lanes/\(names.first { $0.hasSuffix(".hoplanes") } ?? "none")")
    }

    /// The first bytes of a file, which may be long and sparse.
    func beginning(of path: String, count: Int) throws -> Data {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        return try file.read(upToCount: count) ?? Data()
    }
}
