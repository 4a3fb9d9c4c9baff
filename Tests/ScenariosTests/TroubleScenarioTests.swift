import Testing

@testable import Scenarios

/// The scenarios that show a problem beside its solution.
@Suite(.serialized)
struct TroubleScenarioTests {
    @Test("main-stall: the same hash on main, and in the background with only its result on main")
    func mainStall() async throws {
        let report = try await PlayedReport(MainStall())
        #expect(report.tasks("hash on main").map(\.executor) == ["main"])
        #expect(report.tasks("hash in the background").map(\.executor) == ["disk"])
        #expect(report.tasks("show").map(\.executor) == ["main", "main"])
        #expect(report.output == ["Hashed 1048576 bytes.", "Hashed 1048576 bytes."])
        #expect(report.failures.isEmpty)
    }

    @Test("hop-storm: a hop to main and back for every line, a hop onto its own queue for every line, and one hop in all")
    func hopStorm() async throws {
        let report = try await PlayedReport(HopStorm())
        #expect(report.output.sorted() == ["bouncing: 5050", "queueing: 5050", "straight: 5050"])
        #expect(report.hops { $0.hasPrefix("progress") }.map(\.to) == Array(repeating: "main", count: 100))
        #expect(report.hops { $0.hasPrefix("add ") }.map(\.to) == Array(repeating: "bouncing", count: 100))
        #expect(report.hops { $0.hasPrefix("queue for") }.map(\.class) == Array(repeating: "redundant", count: 100))
        #expect(report.hops { $0.hasPrefix("go on") || $0 == "show straight" }.map(\.to) == ["main"])
    }

    @Test("deadlock: tasks that wait for ever stay running, queued, suspended and pending; the safe variant ends")
    func deadlock() async throws {
        let report = try await PlayedReport(Deadlock())
        #expect(report["debit savings"] + report["credit current"] == ["succeeded", "succeeded"])
        #expect(report["transfer from savings"] + report["transfer from current"] == ["running", "running"])
        #expect(report["credit savings, never"] + report["credit current, never"] == ["queued", "queued"])
        #expect(report.antecedents(of: "returns itself") == ["begin", "returns itself"])
        #expect(report.antecedents(of: "returns the other") == ["begin both", "returns the one"])
        #expect(report.antecedents(of: "returns the one") == ["begin both", "returns the other"])
        #expect((1...12).allSatisfy { report["tick \($0)"] == ["succeeded"] })
        for name in ["returns itself", "returns the other", "returns the one"] {
            #expect(report[name] == ["suspended"])
        }
        for name in ["receipt", "print the receipt", "both transfers", "set the receipt"] {
            #expect(report[name] == ["pending"])
        }
        #expect(report.output == ["Nothing else moves any more."])
    }
}
