import Testing

@testable import Scenarios

/// The recipes of Async Contexts, each with its hazard and its safe variants.
@Suite(.serialized)
struct AsyncContextsScenarioTests {
    @Test("Ordering: six Tasks run in any order, a chain in its own")
    func ordering() async throws {
        let report = try await PlayedReport(RecipesOrdering())
        let words = try #require(report.output.first { $0.hasPrefix("As Tasks: ") }).split { !$0.isNumber }
        #expect(words.sorted() == ["1", "2", "3", "4", "5", "6"])
        #expect(report.output.contains("As a chain: 1 2 3 4 5 6."))
        #expect(report.tasks.filter { $0.name.hasPrefix("Task ") }.allSatisfy { $0.kind == "root" && $0.antecedents.isEmpty })
        #expect(report.antecedents(of: "then 6") == ["then 5", "work 6"])
        #expect(report.faults.isEmpty)
    }

    @Test("Invisible errors: a Task's error is unobserved; a typed one has to be caught; a chain's is handled")
    func invisibleError() async throws {
        let report = try await PlayedReport(RecipesInvisibleError())
        #expect(
            report.faults == [
                "#1 Task thrown: unobserved", "in a chain thrown, handle recovered: recovered",
                "work thrown, #2 Task<Void, Never> recovered: recovered",
            ])
        #expect(report.output.sorted() == ["#2 caught NoSuchFile().", "The chain handled NoSuchFile()."])
    }

    @Test("Background work: before, work, after, in this order in every variant; inside a Task, before has to wait")
    func background() async throws {
        let report = try await PlayedReport(RecipesBackground())
        let lines = report.output.map { $0.hasPrefix("after") ? "after" : $0 }
        #expect(
            lines == [
                "queues: before", "after", "timing: doWork returns.", "timing: before", "after",
                "#1: before", "after", "#2: before", "after", "#3: before", "after", "#4: before", "after",
            ])
        #expect(Set(report.output.filter { $0.hasPrefix("after") }).count == 1, "All come to the same result.")
        #expect(report.tasks("queues: expensiveWork").map(\.executor) == ["background"])
        #expect(report.hops { $0.hasPrefix("queues") }.map(\.to) == ["background", "main"])
        for number in [1, 3] {
            // If the work has ended before main continues it, main itself gives the job to main, and that is no hop.
            #expect([["main"], []].contains(report.hops { $0 == "#\(number) afterWorkIsDone" }.map(\.to)))
            #expect(report.tasks("#\(number) afterWorkIsDone").map(\.executor) == ["main"])
        }
        #expect(report.faults.isEmpty)
    }

    @Test("AsyncStream as a queue keeps the order, ignores cancellation and hides errors; a chain as a queue does neither")
    func stream() async throws {
        let report = try await PlayedReport(RecipesStream())
        #expect(
            report.faults == [
                "chained item 2 thrown, link 2 forwarded, handle 2 recovered: recovered", "item 2 thrown, try? item 2 swallowed: swallowed",
            ])
        #expect(
            report.output.filter { $0.hasPrefix("Item") && $0.contains(" runs at ") }.map { $0.split(separator: " ")[1] } == [
                "1", "2", "3", "4", "5",
            ])
        #expect(report.output.allSatisfy { !$0.contains("cancelled: true") })
        #expect(report["item 4"] == ["succeeded"], "Its producer was cancelled.")
        #expect(report["chained item 4"] + report["link 4"] == ["cancelled", "cancelled"])
        #expect(report["chained item 5"] == ["succeeded"])
        #expect(report.output.contains("Item 2: Broken()."))
    }

    @Test("Blocking: waiting tasks block a pool of two for six others; continuations do not")
    func blocking() async throws {
        let report = try await PlayedReport(RecipesBlocking())
        #expect(report.executor("narrow")?.jobs == 8)
        #expect(report.executor("roomy")?.jobs == 8)
        #expect(report.antecedents(of: "wait 1").isEmpty, "A wait links nothing.")
        #expect(report.antecedents(of: "continue 1") == ["late answer for roomy"])
        #expect(report.output.contains { $0.hasPrefix("The heartbeat waited ") })
        #expect(report.failures.isEmpty)
    }

    @Test("Reentrancy: three requests compute the careless cache's value three times, and the careful cache's value once")
    func reentrancy() async throws {
        let report = try await PlayedReport(RecipesReentrancy())
        #expect(report["careless makeValue"] == ["succeeded", "succeeded", "succeeded"])
        #expect(report["careful makeValue"] == ["succeeded"])
        #expect(report.output == ["careless: 3 values.", "careful: 3 values."])
        #expect(report.faults.isEmpty)
    }
}
