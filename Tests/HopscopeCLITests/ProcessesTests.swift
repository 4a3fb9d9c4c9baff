import Foundation
import Testing
import TraceTestKit

/// `hopscope ps` on processes that nothing prepared, and on those that it may not or cannot read.
@Suite(.timeLimit(.minutes(3)))
struct ProcessesTests {
    private func ps(_ arguments: String...) async throws -> FinishedProcess {
        try await FinishedProcess.run([Hopscope.path, "ps"] + arguments)
    }

    @Test("The list names an unprepared Swift process, its tasks and how it can be seen, and no other process")
    func listsProcesses() async throws {
        let program = try RunningCommand([try WatchedProgram.sleeping.path()])
        let shell = try RunningCommand(["sh", "-c", "echo here; exec sleep 1000"])
        let list = try await ps()
        #expect(!list.output.contains("\n\(shell.pid) ") && !list.output.contains(" \(shell.pid) "))
        #expect(list.status == 0)
        let line = try #require(list.output.split(separator: "\n").first { $0.contains("\(program.pid) ") }, "\(list.output)")
        #expect(line.contains("sleeping") && line.hasSuffix("snapshot"))
        #expect(line.split(separator: " ").dropLast().last == "2")
    }

    @Test("The tree has the task's name, wait and line; the JSON has the report's keys and the stack")
    func printsOne() async throws {
        let program = try RunningCommand([try WatchedProgram.sleeping.path()])
        let text = try await ps("\(program.pid)")
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.output.contains("waiter  suspended, sleeps at Sleeping.swift:6 in napping()"), "\(text.output)")
        let named = try await ps("sleeping")
        #expect(named.status == 0 || named.status == 64 && named.errors.contains("are called 'sleeping'"), "\(named.errors)")
        let misspelt = try await ps("sleeping-no-more")
        #expect(misspelt.status == 66 && misspelt.errors.contains("'hopscope ps' lists the Swift processes."), "\(misspelt.errors)")
        let json = try await ps("\(program.pid)", "--json")
        let object = try JSONObject(json.output)
        #expect(object.text("how") == "snapshot" && object.number("pid") == Int(program.pid))
        let waiter = try #require(object.list("tasks").first { $0.text("name") == "waiter" })
        #expect(
            Set(waiter.fields.keys) == [
                "adopted", "antecedents", "busy_ns", "chain", "created_ns", "ended_ns", "error", "executor", "hops", "id", "kind", "name",
                "open",
                "queued_ns", "role", "site", "stack", "started_ns", "state", "time", "waits_for", "where",
            ])
        let wait = waiter.object("waits_for")
        #expect(wait.text("kind") == "timer" && wait.text("where") == "Sleeping.swift:6")
        #expect(waiter.list("stack").contains { $0.text("function") == "napping()" && $0.text("where") == "Sleeping.swift:6" })
        #expect(object.fields["actors"] is [Any] && !object.list("threads").isEmpty)
    }

    @Test("Tasks that sleep at one place are one line, with their memory in all")
    func groupsSleepers() async throws {
        let program = try RunningCommand([try WatchedProgram.sleeping.path(), "crowd"])
        let text = try await ps("\(program.pid)")
        #expect(text.output.contains(/sleeper 0 +suspended, sleeps at .*\(and 19 more like it, to #\d+; .* in all\)/), "\(text.output)")
    }

    @Test("A process that ended and one without Swift are told apart, with status 69")
    func tellsWhatIsNoSwiftProcess() async throws {
        let ended = Process()
        ended.executableURL = URL(fileURLWithPath: "/bin/true")
        try ended.run()
        ended.waitUntilExit()
        let gone = try await ps("\(ended.processIdentifier)")
        #expect(gone.status == 69 && gone.errors.contains("has ended"), "\(gone.errors)")

        let shell = try RunningCommand(["sh", "-c", "echo here; exec sleep 1000"])
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
}
