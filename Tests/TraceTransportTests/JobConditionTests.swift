import TaskEvents
import Testing

@testable import TraceTransport

/// The condition at which a run stops.
@Suite struct JobConditionTests {
    private static let label = Label(name: "Save Record", file: "App/main.swift", line: 12)

    private func matches(_ terms: JobCondition.Term...) -> Bool {
        JobCondition(terms).matches(TaskID(rawValue: 7), chain: TaskID(rawValue: 5), executor: "main", label: Self.label)
    }

    @Test func eachTermIsComparedWithItsOwnField() {
        #expect(matches(.init(.any, isPart: true, ["record"])) && matches(.init(.any, isPart: true, ["mai"])))
        #expect(matches(.init(.name, ["save*"])) && !matches(.init(.name, ["save"])) && !matches(.init(.name, isPart: true, ["main"])))
        #expect(matches(.init(.executor, ["main"])) && !matches(.init(.executor, ["mai"])) && matches(.init(.executor, ["mai?"])))
        #expect(matches(.init(.site, isPart: true, ["main.swift:12"])) && !matches(.init(.site, isPart: true, ["main.swift:13"])))
        #expect(matches(.init(.task, ["7"])) && !matches(.init(.task, ["5"])))
        #expect(matches(.init(.chain, ["4", "5"])) && !matches(.init(.chain, ["7"])))
    }

    @Test func allTermsMustMatchWithOneOfTheirValues() {
        #expect(matches(.init(.name, isPart: true, ["load", "save"]), .init(.executor, ["main"])))
        #expect(!matches(.init(.name, isPart: true, ["load", "save"]), .init(.executor, ["net"])))
        #expect(matches(.init(.executor, isNegated: true, ["net"])) && !matches(.init(.executor, isNegated: true, ["net", "main"])))
    }

    @Test func aClosureMatchesByItsExecutorOnly() {
        func matches(_ term: JobCondition.Term) -> Bool {
            JobCondition([term]).matches(.none, chain: .none, executor: "main", label: nil)
        }
        #expect(matches(.init(.any, isPart: true, ["main"])) && matches(.init(.executor, ["main"])))
        #expect(!matches(.init(.name, isPart: true, ["main"])) && !matches(.init(.task, ["1"])))
    }
}
