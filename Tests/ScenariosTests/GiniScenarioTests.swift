import Testing

@testable import Scenarios

/// The Gini guide's sections other than its error handling.
@Suite(.serialized)
struct GiniScenarioTests {
    @Test("Tasks are chainable: a returned task is followed, a task is continued twice, and late blocks run at once")
    func extractions() async throws {
        let report = try await PlayedReport(GiniExtractions())
        #expect(report.antecedents(of: "extractions") == ["getDocumentWithId", "getExtractionsForDocument"])
        #expect(report.antecedents(of: "show the extractions") == ["extractions", "added late"])
        #expect(report.tasks("filename").map(\.state).sorted() == ["faulted", "succeeded"])
        #expect(report.faults == ["getDocumentWithId thrown, filename forwarded, handle the error recovered: recovered"])
        #expect(
            report.output.sorted() == ["3 extractions.", "File name: 1234-5678-9100.txt", "There is no document no-such-document."])
    }

    @Test("Tasks and threads: a custom executor and mainThread run blocks on main, others do not")
    func mainThread() async throws {
        let report = try await PlayedReport(GiniMainThread())
        let shows = report.tasks.filter { $0.name.hasPrefix("show") }
        #expect(shows.map(\.executor) == ["myExecutor", "main", "default"])
        #expect(Set(shows.flatMap(\.antecedents)).count == 1)
        #expect(report.hops { $0.hasPrefix("show") }.map(\.to).sorted() == ["main", "myExecutor"])
        #expect(report.output.filter { $0 == "On main: 1234-5678-9100.txt" }.count == 2)
        #expect(report.output.filter { $0 == "In the background: 1234-5678-9100.txt" }.count == 1)
    }
}
