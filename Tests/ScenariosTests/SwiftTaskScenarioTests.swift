import Testing

@testable import Scenarios

/// The SwiftTask README as a scenario.
@Suite(.serialized)
struct SwiftTaskScenarioTests {
    @Test("dependentTaskWith always runs through its queue, and a switch distinguishes every outcome")
    func dependent() async throws {
        let report = try await PlayedReport(SwiftTaskDependent())
        #expect(
            report.faults == [
                "missing file thrown, switch recovered: recovered", "spoilt file thrown, switch recovered: recovered",
            ])
        #expect(report["given up"] == ["cancelled"])
        #expect(report["switch"].sorted() == ["succeeded", "succeeded", "succeeded recovered", "succeeded recovered"])
        #expect(
            report.output.map { String($0.prefix(19)) }.sorted() == [
                "The file: cancelled", "The file: error: Th", "The file: exception", "The file: result: 3",
            ])
        // No block runs inline: each of the three blocks of a chain went through a queue.
        let global = "com.apple.root.default-qos"
        #expect(report.hops { $0 == "switch" }.map(\.to) == [global, global, global, global])
        #expect(report.hops { $0 == "make a sentence" }.map(\.to) == [global, global, global, global])
        #expect(report.hops { $0 == "say on main" }.map(\.to) == ["main", "main", "main", "main"])
    }

    @Test("A block that throws and a call that raises end in an exception; success blocks are skipped")
    func exceptions() async throws {
        let report = try await PlayedReport(SwiftTaskExceptions())
        #expect(
            report.faults == [
                "find the title thrown, show the title forwarded, handle recovered: recovered",
                "performFetch of a spoilt file thrown, show the title forwarded, handle recovered: recovered",
            ])
        #expect(report.output.count == 2)
        #expect(report.output.contains("Exception: none of 3 titles is it"))
    }

    @Test("taskForCompletionOfAllTasks waits for all, accepts Bolts' tasks, and collects errors, which beat a cancellation")
    func all() async throws {
        let report = try await PlayedReport(SwiftTaskAll())
        #expect(report.antecedents(of: "all files") == ["file 1", "file 2", "file 3", "file 4", "follow a BFTask"])
        #expect(report.antecedents(of: "follow a BFTask") == ["file 5", "file 6"])
        #expect(report["all files"] == ["succeeded"])
        #expect(report["all that fails"] == ["faulted transformed"])
        #expect(
            report.faults == [
                "missing file thrown, all that fails transformed, count the errors recovered: recovered",
                "spoilt file thrown, all that fails transformed, count the errors recovered: recovered",
            ])
        #expect(report.output.sorted() == ["2 errors, and a cancellation that they beat.", "All files are there."])
    }
}
