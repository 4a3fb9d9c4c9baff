import Foundation
import Testing
import TraceTestKit

/// Wrong options, and options that would destroy a trace, are refused before the command does anything.
@Suite(.timeLimit(.minutes(2)))
struct OptionTests {
    @Test(
        "A terminator without a program is wrong usage, and no trace is judged", arguments: ["check", "report", "record -o new.hop", "run"])
    func noProgram(command: String) async throws {
        let folder = try await RecordedFolder()
        let shell = "cd \"$1\"; HOPSCOPE=\"$1/lanes\" \"$0\" \(command) -- $CMD"
        let process = try await FinishedProcess.run(["bash", "-c", shell, Hopscope.path, folder.scratch.path])
        #expect(process.status == 64, "\(process.output)")
        #expect(process.output.isEmpty)
        #expect(process.errors.contains("No program is named after '--';"))
    }

    @Test("An empty name is wrong usage", arguments: [["check"], ["report"], ["record", "-o", "new.hop"], ["run"], ["run", "--no-ui"]])
    func emptyName(command: [String]) async throws {
        let process = try await FinishedProcess.run([Hopscope.path] + command + ["--", ""])
        #expect(process.status == 64)
        #expect(process.errors.contains("The name of the program after '--' is empty."))
    }

    @Test("An output that is a trace is not overwritten", arguments: ["run.hop", "other.hop", "link.hop"])
    func outputIsTrace(name: String) async throws {
        let folder = try await RecordedFolder()
        try FileManager.default.copyItem(atPath: folder.recording, toPath: folder.path("other.hop"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("link.hop"), withDestinationPath: folder.recording)
        let before = FileManager.default.contents(atPath: folder.recording)
        let out = folder.path(name)
        for command in [["report"], ["check"], ["export", "--to", "jsonl"], ["screen", "--view", "tasks"]] {
            let process = try await FinishedProcess.run([Hopscope.path] + command + [folder.recording, "-o", out])
            #expect(process.status == 64)
            #expect(process.errors == "hopscope: '\(out)' is a trace, so it is not overwritten; name another file.\n")
        }
        #expect(FileManager.default.contents(atPath: folder.recording) == before)
        #expect(FileManager.default.contents(atPath: folder.path("other.hop")) == before)
    }

    @Test(
        "Options stand before the trace or after it",
        arguments: [["check", "--fail-on", "none"], ["screen", "--view", "tasks", "--press", "n", "Down"]])
    func order(command: [String]) async throws {
        let folder = try await RecordedFolder()
        let before = try await FinishedProcess.run([Hopscope.path] + command + [folder.recording])
        let after = try await FinishedProcess.run([Hopscope.path, command[0], folder.recording] + command.dropFirst())
        #expect(before.status == 0, "\(before.errors)")
        #expect(before.output == after.output && !before.output.isEmpty)
    }

    @Test("A speed outside the permitted range is refused", arguments: ["1e-308", "0", "-1", "nan", "inf", "1e300"])
    func speed(factor: String) async throws {
        let process = try await Hopscope.run("demo", "kinesis-success", "--no-ui", "--speed=\(factor)")
        #expect(process.status == 64)
        #expect(process.errors.contains("--speed takes a number from 0.001 to 1000."))
    }
}
