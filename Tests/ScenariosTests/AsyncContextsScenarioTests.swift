import Testing

@testable import Scenarios

/// What Async Contexts says of each recipe, its hazards and their twins.
@Suite(.serialized)
struct AsyncContextsScenarioTests {
    @Test("Ordering: six Tasks in whatever order, a chain in its own")
    func ordering() async throws {
        let report = try await PlayedReport(RecipesOrdering())
        let words = try #require(report.output.first { $0.hasPrefix("As Tasks: ") }).split { !$0.isNumber }
        #expect(words.sorted() == ["1", "2", "3", "4", "5", "6"])
        #expect(report.output.contains("As a chain: 1 2 3 4 5 6."))
        #expect(report.tasks.filter { $0.name.hasPrefix("Task ") }.allSatisfy { $0.kind == "root" && $0.antecedents.isEmpty })
        #expect(report.antecedents(of: "then 6") == ["then 5", "work 6"])
        #expect(report.faults.isEmpty)
    }

    @Test("Invisible errors: a Task's is unobserved; typed, it has to be caught; in a chain it is handled")
    func invisibleError() async throws {
        let report = try await PlayedReport(RecipesInvisibleError())
        #expect(
            report.faults == [
                "#1 Task thrown: unobserved", "in a chain thrown, handle recovered: recovered",
                "work thrown, #2 Task<Void, Never> recovered: recovered",
            ])
        #expect(report.output.sorted() == ["#2 caught NoSuchFile().", "The chain handled NoSuchFile()."])
    }

    @Test("Background work: before, work, after, in this order, however it is done; inside a Task, before has to wait")
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
            #expect(report.hops { $0 == "#\(number) afterWorkIsDone" }.map(\.to) == ["main"])
        }
        #expect(report.faults.isEmpty)
    }

    @Test("AsyncStream as a queue: in order, deaf to cancellation, silent about errors; a chain as a queue is neither")
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

    @Test("Blocking: what waits blocks a pool of two for six others; what continues does not")
    func blocking() async throws {
        let report = try await PlayedReport(RecipesBlocking())
        #expect(report.executor("narrow")?.jobs == 8)
        #expect(report.executor("roomy")?.jobs == 8)
        #expect(report.antecedents(of: "wait 1").isEmpty, "A wait links nothing.")
        #expect(report.antecedents(of: "continue 1") == ["late answer for roomy"])
        #expect(report.output.contains { $0.hasPrefix("The heartbeat waited ") })
        #expect(report.failures.isEmpty)
    }

    @Test("Reentrancy: three requests make a careless cache's value three times, and a careful one's once")
    func reentrancy() async throws {
        let report = try await PlayedReport(RecipesReentrancy())
        #expect(report["careless makeValue"] == ["succeeded", "succeeded", "succeeded"])
        #expect(report["careful makeValue"] == ["succeeded"])
        #expect(report.output == ["careless: 3 values.", "careful: 3 values."])
        #expect(report.faults.isEmpty)
    }
}
