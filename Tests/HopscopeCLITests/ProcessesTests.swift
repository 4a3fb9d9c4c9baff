import Foundation
import InspectorTestKit
import Testing

/// `hopscope ps` on processes that nothing prepared, and on those that it may not or cannot read.
@Suite(.timeLimit(.minutes(3)))
struct ProcessesTests {
    /// A Swift program that sleeps, until the object is gone.
    private final class Sleeper {
        let process = Process()
        var pid: Int32 { process.processIdentifier }

        /// Returns when the program has said that it runs.
        init(_ command: [String]) throws {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = command
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            guard !pipe.fileHandleForReading.availableData.isEmpty else { throw CocoaError(.fileReadUnknown) }
        }

        deinit {
            kill(pid, SIGKILL)
            process.waitUntilExit()
        }
    }

    private func ps(_ arguments: String...) async throws -> FinishedProcess {
        try await FinishedProcess.run([Hopscope.path, "ps"] + arguments)
    }

    @Test("The list names an unprepared Swift process, its tasks and how it can be seen, and no other process")
    func listsProcesses() async throws {
        let program = try Sleeper([try WatchedProgram.sleeping.path()])
        let shell = try Sleeper(["sh", "-c", "echo here; exec sleep 1000"])
        let list = try await ps()
        #expect(!list.output.contains("\n\(shell.pid) ") && !list.output.contains(" \(shell.pid) "))
        #expect(list.status == 0)
        let line = try #require(list.output.split(separator: "\n").first { $0.contains("\(program.pid) ") }, "\(list.output)")
        #expect(line.contains("sleeping") && line.hasSuffix("snapshot"))
        #expect(line.split(separator: " ").dropLast().last == "2")
    }

    @Test("The tree has the task's name, wait and line; the JSON has the report's keys and the stack")
    func printsOne() async throws {
        let program = try Sleeper([try WatchedProgram.sleeping.path()])
        let text = try await ps("\(program.pid)")
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.output.contains("waiter  suspended, sleeps at Sleeping.swift:6 in napping()"), "\(text.output)")
        let json = try await ps("\(program.pid)", "--json")
        let object = try JSONObject(json.output)
        #expect(object.text("how") == "snapshot" && object.number("pid") == Int(program.pid))
        let waiter = try #require(object.list("tasks").first { $0.text("name") == "waiter" })
        #expect(
            Set(waiter.fields.keys) == [
                "antecedents", "busy_ns", "chain", "created_ns", "ended_ns", "error", "executor", "hops", "id", "kind", "name", "open",
                "queued_ns",
                "role", "site", "stack", "started_ns", "state", "waits_for", "where",
            ])
        let wait = waiter.object("waits_for")
        #expect(wait.text("kind") == "timer" && wait.text("where") == "Sleeping.swift:6")
        #expect(waiter.list("stack").contains { $0.text("function") == "napping()" && $0.text("where") == "Sleeping.swift:6" })
        #expect(object.fields["actors"] is [Any] && !object.list("threads").isEmpty)
    }

    @Test("A process that ended, one without Swift, and a kernel's thread are told apart, with status 69")
    func tellsWhatIsNoSwiftProcess() async throws {
        let ended = Process()
        ended.executableURL = URL(fileURLWithPath: "/bin/true")
        try ended.run()
        ended.waitUntilExit()
        let gone = try await ps("\(ended.processIdentifier)")
        #expect(gone.status == 69 && gone.errors.contains("has ended"), "\(gone.errors)")

        let shell = try Sleeper(["sh", "-c", "echo here; exec sleep 1000"])
        let other = try await ps("\(shell.pid)")
        #expect(other.status == 69 && other.errors.contains("has no Swift concurrency runtime"), "\(other.errors)")
    }

    @Test("Files that are no core files are refused: missing 66, unreadable 65, without an executable 64")
    func refusesFiles() async throws {
        let folder = try ScratchFolder()
        try folder.write("no core", to: "file")
        let program = try WatchedProgram.sleeping.path()
        #expect(try await ps(folder.path("none"), "--exe", program).status == 66)
        #expect(try await ps(folder.path("file"), "--exe", folder.path("none")).status == 66)
        #expect(try await ps(folder.path("file")).status == 64)
        let refused = try await ps(folder.path("file"), "--exe", program)
        #expect(refused.status == 65 && refused.errors.contains("is no core file"), "\(refused.errors)")
        #expect(try await ps(program, "--exe", program).status == 65)
        #expect(try await ps("--json").status == 64)
    }

    @Test("Another user's process, and root without the right, get the way out", .enabled(if: geteuid() == 0))
    func respectsRights() async throws {
        let program = try Sleeper([try WatchedProgram.sleeping.path()])
        let copy = try ScratchFolder()
        #expect(chmod(copy.path, 0o755) == 0)
        try FileManager.default.copyItem(atPath: Hopscope.path, toPath: copy.path("hopscope"))
        #expect(chmod(copy.path("hopscope"), 0o755) == 0)
        let asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let refused = try await FinishedProcess.run(asNobody + [copy.path("hopscope"), "ps", "\(program.pid)"])
        #expect(refused.status == 69 && refused.errors.contains("belongs to another user"), "\(refused.errors)")

        // Root of a container that may not debug reads nothing of a process that has the right.
        let withoutRight = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"]
        let contained = try await FinishedProcess.run(withoutRight + [Hopscope.path, "ps", "\(program.pid)"])
        #expect(contained.status == 69 && contained.errors.contains("--cap-add=SYS_PTRACE"), "\(contained.errors)")
    }
}
