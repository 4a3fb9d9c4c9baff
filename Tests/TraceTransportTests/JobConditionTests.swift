import TaskEvents
import Testing

@testable import TraceTransport

/// The condition at which a run stops.
@Suite struct JobConditionTests {
    private static let label = Label(name: "Save Record", file: "App/main.swift", line: 12)

    private func fits(_ terms: JobCondition.Term...) -> Bool {
        JobCondition(terms).fits(TaskID(rawValue: 7), chain: TaskID(rawValue: 5), executor: "main", label: Self.label)
    }

    @Test func eachTermIsComparedWithItsOwnField() {
        #expect(fits(.init(.any, isPart: true, ["record"])) && fits(.init(.any, isPart: true, ["mai"])))
        #expect(fits(.init(.name, ["save*"])) && !fits(.init(.name, ["save"])) && !fits(.init(.name, isPart: true, ["main"])))
        #expect(fits(.init(.executor, ["main"])) && !fits(.init(.executor, ["mai"])) && fits(.init(.executor, ["mai?"])))
        #expect(fits(.init(.site, isPart: true, ["main.swift:12"])) && !fits(.init(.site, isPart: true, ["main.swift:13"])))
        #expect(fits(.init(.task, ["7"])) && !fits(.init(.task, ["5"])))
        #expect(fits(.init(.chain, ["4", "5"])) && !fits(.init(.chain, ["7"])))
    }

    @Test func allTermsMustMatchWithOneOfTheirValues() {
        #expect(fits(.init(.name, isPart: true, ["load", "save"]), .init(.executor, ["main"])))
        #expect(!fits(.init(.name, isPart: true, ["load", "save"]), .init(.executor, ["net"])))
        #expect(fits(.init(.executor, isNegated: true, ["net"])) && !fits(.init(.executor, isNegated: true, ["net", "main"])))
    }

    @Test func aClosureMatchesByItsExecutorOnly() {
        func fits(_ term: JobCondition.Term) -> Bool {
            JobCondition([term]).fits(.none, chain: .none, executor: "main", label: nil)
        }
        #expect(fits(.init(.any, isPart: true, ["main"])) && fits(.init(.executor, ["main"])))
        #expect(!fits(.init(.name, isPart: true, ["main"])) && !fits(.init(.task, ["1"])))
    }
}
