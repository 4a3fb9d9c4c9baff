import Testing

@testable import Scenarios

/// The AWS guide's sections other than its three scenarios of error handling.
@Suite(.serialized)
struct AWSGuideScenarioTests {
    @Test("Per method error logic: each error is read by the continuation of its own call, and the last block runs after both")
    func perMethod() async throws {
        let report = try await PlayedReport(KinesisPerMethod())
        #expect(
            report.faults == [
                "saveRecord thrown, check saveRecord recovered: recovered",
                "submitAllRecords thrown, check saveRecord forwarded, check submitAllRecords recovered: recovered",
            ])
        #expect(report["check submitAllRecords"].sorted() == ["succeeded", "succeeded recovered"])
        #expect(
            report.output.sorted() == [
                "Error from 'saveRecord:streamName:': throttled", #"Error from 'submitAllRecords': streamNotFound("test-stream-name")"#,
            ])
    }

    @Test("In sequence: 101 records, each saved after the one before it")
    func sequence() async throws {
        let report = try await PlayedReport(KinesisSequence())
        #expect(report.faults.isEmpty)
        #expect(report.output == ["Submitted 101 records."])
        for number in 0...100 {
            let before = number == 0 ? "start" : "then saveRecord \(number - 1)"
            #expect(report.antecedents(of: "then saveRecord \(number)") == [before, "saveRecord \(number)"])
        }
        #expect(Set(report.tasks.filter { $0.name.hasPrefix("then saveRecord") }.map(\.chain)).count == 1)
        #expect(report.failures.isEmpty)
    }

    @Test("On the main thread: the executor's block is a task on main, Grand Central Dispatch's block sets a source")
    func mainThread() async throws {
        let report = try await PlayedReport(KinesisMainThread())
        #expect(
            report.faults == [
                "saveRecord thrown, then submitAllRecords forwarded, handle on main recovered: recovered",
                "saveRecord thrown, then submitAllRecords forwarded, handle, then GCD recovered: recovered",
            ])
        #expect(report.tasks("handle on main").map(\.executor) == ["main"])
        #expect(report.hops { $0 == "handle on main" }.map(\.to) == ["main"])
        #expect(report.hops { $0 == "handle, then GCD" }.isEmpty)
        #expect(report["alert by GCD"] == ["succeeded"])
        #expect(report.output == ["Error! throttled", "Error! throttled"])
    }
}
