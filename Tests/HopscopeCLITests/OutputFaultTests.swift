import Foundation
import Testing
import TraceTestKit

/// A command whose output cannot be written says so in a sentence and ends with 69, whatever its output and the reason.
@Suite(.timeLimit(.minutes(3)))
struct OutputFaultTests {
    /// Every command that prints to standard output. Words of `RecordedFolder` stand for paths.
    static let commands: [[String]] = [
        ["list"], ["--help"], ["--version"], ["help", "run"], ["--generate-completion-script", "bash"],
        ["demo", "--list"], ["demo", "kinesis-success", "--speed", "50", "--no-ui"],
        ["demo", "kinesis-success", "--speed", "50", "--no-ui", "--report", "json"],
        ["report", "RECORDING"], ["report", "RECORDING", "--format", "json"], ["report", "--", "PROGRAM", "fault"],
        ["check", "--fail-on", "none", "RECORDING"], ["check", "--fail-on", "none", "RECORDING", "--format", "junit"],
        ["run", "--no-ui", "--", "PROGRAM", "fault"],
        ["export", "RECORDING", "--to", "perfetto"], ["export", "RECORDING", "--to", "jsonl"], ["export", "RECORDING", "--to", "dot"],
        ["screen", "RECORDING", "--view", "tasks"], ["screen", "RECORDING", "--view", "graph", "--to", "svg"],
    ]

    /// Runs the command with a shell's redirection of its output.
    private func run(_ command: [String], _ redirection: String, in folder: RecordedFolder) async throws -> FinishedProcess {
        let program = try WatchedProgram.swift.path()
        let words = command.map { $0 == "RECORDING" ? folder.recording : $0 == "PROGRAM" ? program : $0 }
        let shell = ["env", "HOPSCOPE=\(folder.path("lanes"))", "bash", "-c", "\"$0\" \"$@\" \(redirection)", Hopscope.path]
        return try await FinishedProcess.run(shell + words)
    }

    @Test("A command whose output disk is full names the reason and exits with 69", arguments: commands)
    func full(command: [String]) async throws {
        let folder = try await RecordedFolder()
        let process = try await run(command, ">/dev/full", in: folder)
        #expect(process.status == 69, "\(process.errors)")
        #expect(process.errors.contains("hopscope: 'standard output' cannot be written: the disk is full.\n"), "\(process.errors)")
    }

    @Test("A command with a closed output names the reason, overwrites no trace, and exits with 69", arguments: commands)
    func closed(command: [String]) async throws {
        let folder = try await RecordedFolder()
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.recording))
        let process = try await run(command, ">&-", in: folder)
        #expect(process.status == 69, "\(process.errors)")
        #expect(process.errors.contains("hopscope: 'standard output' cannot be written: it is closed.\n"), "\(process.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.recording)) == before)
    }

    @Test("A command that reaches the file size limit names the reason and exits with 69", arguments: ["perfetto", "jsonl", "otlp"])
    func limited(format: String) async throws {
        let folder = try await RecordedFolder(scenario: "main-stall")
        let out = folder.path("out")
        let command = "(ulimit -f 1; exec \"$0\" export \"$1\" --to \(format) -o \"$2\")"
        let process = try await FinishedProcess.run(["bash", "-c", command, Hopscope.path, folder.recording, out])
        #expect(process.status == 69, "\(process.errors)")
        #expect(process.errors == "hopscope: '\(out)' cannot be written: files may not become that large ('ulimit -f').\n")
        #expect(!FileManager.default.fileExists(atPath: out))
    }

    @Test("A program that a command starts has the same signal settings as without the command")
    func programsKeepTheLimit() async throws {
        let command = "ulimit -f 1; exec \"$0\" run --no-ui -- sh -c 'head -c 100000 /dev/zero >\"$0/zeros\"' \"$1\""
        let folder = try ScratchFolder()
        let process = try await FinishedProcess.run(["bash", "-c", command, Hopscope.path, folder.path])
        #expect(process.status == 153 || process.errors.contains("File size limit"), "\(process.status): \(process.errors)")
    }

    @Test("An unwritable error stream changes no exit status", arguments: [("report nothing.hop", 66), ("check --fail-on x", 64)])
    func silentErrors(command: String, status: Int32) async throws {
        for stream in ["/dev/full", "&-"] {
            let process = try await FinishedProcess.run(["bash", "-c", "\"$0\" \(command) 2>\(stream)", Hopscope.path])
            #expect(process.status == status)
        }
    }
}
