import Foundation
import Testing
import TraceTestKit

/// `check` and `report` with a program to run, as CI uses them.
@Suite(.timeLimit(.minutes(2)))
struct ProgramCheckTests {
    private func check(_ options: String..., program: [String]) async throws -> FinishedProcess {
        try await FinishedProcess.run([Hopscope.path, "check"] + options + ["--"] + program)
    }

    @Test("An unobserved fault fails the check; if --fail-on leaves out the rule, the check exits with the program's own status")
    func fails() async throws {
        let program = [try WatchedProgram.swift.path(), "fault"]
        let failed = try await check("--fail-on", "unobserved-fault", program: program)
        #expect(failed.status == 1)
        #expect(failed.output.hasPrefix("did fault\n"))
        #expect(failed.output.contains("error: unobserved-fault: careless"))
        #expect(failed.output.contains("Unread"))
        #expect(failed.errors == "said fault\n")
        let passed = try await check("--fail-on", "main-stall", "never-completed", program: program)
        #expect(passed.status == 0)
        #expect(passed.output.contains("note: unobserved-fault: careless"))
    }

    @Test("Without findings, the check exits with the program's own status", arguments: [("tasks", 7), ("kill", 137)])
    func passes(way: String, status: Int32) async throws {
        let process = try await check("--fail-on", "unobserved-fault", program: [try WatchedProgram.swift.path(), way])
        #expect(process.status == status, "\(process.errors)")
        #expect(process.output.contains("swift: passed"))
    }

    @Test("All processes of the program are checked, the busiest first, and a fault in any of them fails the check")
    func processes() async throws {
        let swift = try WatchedProgram.swift.path()
        let script = ["sh", "-c", "\"$0\" tasks; \"$0\" fault; \"$0\" plain; exit 4", swift]
        let failed = try await check("--fail-on", "unobserved-fault", "--format", "json", "-o", "-", program: script)
        #expect(failed.status == 1)
        let object = try JSONSerialization.jsonObject(with: Data((failed.output.split(separator: "\n", maxSplits: 3).last ?? "").utf8))
        let busiest = try #require(object as? [String: Any])
        #expect(busiest["failed"] as? Bool == true)
        let others = try #require(busiest["others"] as? [[String: Any]])
        #expect(others.map { $0["failed"] as? Bool } == [false])
        #expect(try await check("--fail-on", "none", program: script).status == 4)

        let report = try await FinishedProcess.run([Hopscope.path, "report", "--"] + script)
        #expect(report.status == 4)
        #expect(report.output.contains("1 fault, 1 unread: 1 unobserved"))
        let processes = report.errors.matches(of: /\(swift, (\d+) events\)/).compactMap { Int($0.output.1) }
        #expect(report.errors.contains(/Only the busiest process is reported, \d+ \(swift, \d+ events\)\. The others:/), "\(report.errors)")
        #expect(processes.count > 1 && processes == processes.sorted(by: >), "the shown one is the busiest: \(report.errors)")
    }

    @Test("A program that could not be observed exits with 69 if it succeeded", arguments: [("exit 0", 69), ("exit 3", 3)])
    func unseen(script: String, status: Int32) async throws {
        let process = try await check(program: ["sh", "-c", script])
        #expect(process.status == status)
        #expect(process.output.isEmpty)
        #expect(process.errors.contains("is no Swift program"))
    }

    @Test("A wrong option is reported before the program runs")
    func refuses() async throws {
        let folder = try ScratchFolder()
        let program = ["touch", folder.path("was-run")]
        #expect(try await check("--fail-on", "no-such-rule", program: program).status == 64)
        #expect(try await check("-o", folder.path("no/where.txt"), program: program).status == 66)
        #expect(folder.text("was-run") == nil)
    }
}
