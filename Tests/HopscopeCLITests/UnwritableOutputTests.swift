import Foundation
import Testing
import TraceTestKit

/// An output that cannot be written is refused with its cause, whichever command it belongs to. What is at the path stays as it is.
@Suite(.timeLimit(.minutes(3)))
struct UnwritableOutputTests {
    /// Every command that writes a file, with the words of `RecordedFolder` for paths.
    static let commands: [[String]] = [
        ["record", "-o", "OUTPUT", "--", "touch", "MARKER"], ["run", "--no-ui", "--record", "OUTPUT", "--", "touch", "MARKER"],
        ["demo", "kinesis-success", "--speed", "50", "--no-ui", "--record", "OUTPUT"],
        ["report", "RECORDING", "-o", "OUTPUT"], ["check", "--fail-on", "none", "RECORDING", "-o", "OUTPUT"],
        ["export", "RECORDING", "--to", "jsonl", "-o", "OUTPUT"], ["screen", "RECORDING", "--view", "tasks", "-o", "OUTPUT"],
    ]

    struct Output: Sendable, CustomTestStringConvertible {
        let path: String
        let status: Int32
        let cause: String
        var testDescription: String { path }
    }

    /// Paths without a slash at their beginning are in the folder.
    static let outputs: [Output] = [
        Output(path: "/proc/x", status: 69, cause: "'/proc/x' cannot be written: no file can be made there."),
        Output(path: "/nowhere/x", status: 66, cause: "'/nowhere/x' cannot be written: there is no such directory."),
        Output(path: "run.hop/x", status: 66, cause: "cannot be written: there is no such directory."),
        Output(path: "dangling", status: 66, cause: "cannot be written: it is a symbolic link that leads to no file."),
        Output(path: "loop", status: 66, cause: "cannot be written: it is a symbolic link that leads to no file."),
        Output(path: "lanes", status: 69, cause: "is a directory; name a file in it."),
        Output(path: String(repeating: "a", count: 300), status: 69, cause: "cannot be written: file name too long."),
        Output(path: "", status: 64, cause: "The name of the file to write to is empty."),
    ]

    private func run(_ command: [String], _ output: String, in folder: RecordedFolder, by starter: [String] = []) async throws
        -> FinishedProcess
    {
        let words = ["OUTPUT": output, "RECORDING": folder.recording, "MARKER": folder.path("was-run")]
        return try await FinishedProcess.run(starter + [Hopscope.path] + command.map { words[$0] ?? $0 })
    }

    @Test("Every command names the cause, starts nothing and leaves the folder as it was", arguments: commands)
    func refuses(command: [String]) async throws {
        let folder = try await RecordedFolder()
        for (name, target) in [("dangling", "/nowhere/x"), ("loop", "loop")] {
            try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
        }
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.scratch.path)
        for output in Self.outputs {
            let path = output.path.isEmpty || output.path.hasPrefix("/") ? output.path : folder.path(output.path)
            let process = try await run(command, path, in: folder)
            #expect(process.status == output.status, "\(output.path): \(process.errors)")
            #expect(process.errors.hasPrefix("hopscope: ") && process.errors.hasSuffix("\(output.cause)\n"), "\(process.errors)")
            #expect(process.output.isEmpty)
        }
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.scratch.path)) == Set(before))
        for name in ["dangling", "loop"] {
            #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: folder.path(name))) != nil, "\(name)")
        }
    }

    @Test("A read-only file system is named as the cause", arguments: commands)
    func readOnly(command: [String]) async throws {
        let folder = try await RecordedFolder()
        try FileManager.default.createDirectory(atPath: folder.path("sealed"), withIntermediateDirectories: false)
        // A file system of the test's own, if this user may mount one.
        let script = """
            unshare -m true 2>/dev/null || exit 77
            exec unshare -m bash -c 'mount -t tmpfs -o ro none "$0" || exit 77; exec "$@"' "$@"
            """
        let process = try await run(
            command, folder.path("sealed/x"), in: folder, by: ["bash", "-c", script, "bash", folder.path("sealed")])
        guard process.status != 77 else { return }
        #expect(process.status == 69)
        #expect(process.errors == "hopscope: '\(folder.path("sealed/x"))' cannot be written: the file system is read-only.\n")
        #expect(!FileManager.default.fileExists(atPath: folder.path("was-run")))
    }

    @Test("A device that takes nothing is named by its path", arguments: commands.dropFirst(3))
    func fullDevice(command: [String]) async throws {
        let process = try await run(command, "/dev/full", in: try await RecordedFolder())
        #expect(process.status == 69)
        #expect(process.errors == "hopscope: '/dev/full' cannot be written: the disk is full.\n")
    }
}
