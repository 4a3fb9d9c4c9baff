import Testing

@testable import Scenarios

/// The AlecrimAsyncKit README as a scenario.
@Suite(.serialized)
struct AlecrimScenarioTests {
    @Test("Basics: an awaited outcome is read outside every task, runTask's outcome in its continuation on main")
    func basics() async throws {
        let report = try await PlayedReport(AlecrimBasics())
        #expect(report.faults == ["asyncCalculate thrown, completion recovered: recovered", "asyncCalculate thrown: read"])
        #expect(report.tasks("completion").map(\.executor) == ["main", "main"])
        #expect(report["sum 1"] + report["sum 2"] == ["succeeded", "succeeded"])
        #expect(report["asyncCalculateElsewhere"] == ["succeeded"], "Two await it, and it runs once.")
        #expect(report.output.filter { $0 == "TooLarge(count: 2000000)" }.count == 2)
        #expect(report.output.count == 7)
    }

    @Test("Conditions: satisfied, not satisfied, failed, and a dependency's condition")
    func conditions() async throws {
        let report = try await PlayedReport(AlecrimConditions())
        #expect(report["while unmounted"] == ["succeeded"])
        #expect(report["needs a mount"] == ["cancelled"])
        #expect(report["mounts first"] + report["mount"] == ["succeeded", "succeeded"])
        #expect(report.antecedents(of: "mounts first") == ["mount"])
        #expect(
            report.faults == ["failing dependency thrown, depends on a failure read: read", "is refused thrown: read"])
        #expect(
            report.output == [
                "Done: while unmounted.", "Cancelled.", "Done: mounts first.", "Failed: Refusal().", "Failed: Refusal().",
            ])
    }

    @Test("Mutually exclusive: one task at a time, in order, and a cancelled one gives up its turn")
    func exclusive() async throws {
        let report = try await PlayedReport(AlecrimExclusive())
        #expect(report.output == ["Written in the order 1 2 3 5 6, at most 1 at a time."])
        #expect(report["write 4"] == ["cancelled"])
        #expect([1, 2, 3, 5, 6].allSatisfy { report["write \($0)"] == ["succeeded"] })
        #expect(report.faults.isEmpty)
    }

    @Test("Observers see start and finish, and neither if a condition refuses; a timeout cancels")
    func observers() async throws {
        let report = try await PlayedReport(AlecrimObservers())
        #expect(report["observed"] == ["succeeded"])
        #expect(report["refused"] == ["cancelled"])
        #expect(report["too slow"] == ["cancelled"])
        #expect(report.output.filter { $0.hasPrefix("The task was") } == ["The task was started...", "The task was finished..."])
        #expect(report.output.filter { $0.hasPrefix("It ") } == ["It succeeded.", "It was cancelled.", "It was cancelled."])
        #expect(report.faults.isEmpty)
    }

    @Test("A cancelled task is no fault, whether its body ran, never began or ended with the cancellation code")
    func cancel() async throws {
        let report = try await PlayedReport(AlecrimCancel())
        for name in ["looks at cancelled", "never begins", "ends with NSUserCancelledError"] {
            #expect(report[name] == ["cancelled"])
        }
        #expect(report.faults.isEmpty)
        #expect(
            report.output == [
                "Cancelled: com.alecrim.AlecrimAsyncKit 3072.", "Cancelled: com.alecrim.AlecrimAsyncKit 3072.",
                "Cancelled: NSCocoaErrorDomain 3072.",
            ])
    }
}
