import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

/// A trace that lacks a route of observation says less, and nothing else.
@Suite(.serialized)
struct BlindnessTests {
    /// Rules that rest on what did not happen: a missing route looks to them like something wrong. The others speak of times that were
    /// exceeded, which a busy machine may bring about in any run.
    private static let rules: Set = [
        "unobserved-fault", "swallowed-error", "never-completed", "wait-cycle", "task-growth", "start-order", "actor-reentrancy",
        "off-main",
    ]

    /// The hazards' good twins, in one program one after the other.
    private static let twins = Set(Hazard.all.map(\.twin)).sorted()

    @Test("Programs that are well made raise none of these, whichever route is missing", arguments: TraceRoutes.named.map(\.route))
    func twins(without route: TraceRoutes) async throws {
        let run = try await WatchedRun(ProgramBuild.debug.program("Hazards"), Self.twins, without: route)
        #expect(run.status == 0)
        var settings = WarningSettings()
        settings.mainNames = [NamePattern("render")]
        let list = WarningEngine(settings: settings).list(in: run.store, isOver: true)
        let found = list.groups.map(\.rule).filter { Self.rules.contains($0) }
        #expect(found.isEmpty, "\(list.findings.map { list.message(of: $0, in: run.store) })")
        let unchecked = Set(list.checks.filter { !$0.isChecked }.map(\.rule))
        #expect(unchecked.isSuperset(of: WarningRules.all.filter { $0.needs.contains(route) }.map(\.id)))
    }

    @Test("Programs with hazards raise nothing that they do not raise with all routes", arguments: TraceRoutes.named.map(\.route))
    func hazards(without route: TraceRoutes) async throws {
        let names = ["invisible-error", "unordered", "reentrant", "never-resumed", "deadlocked"]
        let run = try await WatchedRun(ProgramBuild.debug.program("Hazards"), names, without: route)
        let expected = Hazard.all.filter { names.contains($0.name) }.reduce(into: Set<String>()) { $0.formUnion($1.rules) }
        let found = Set(WarningEngine().list(in: run.store, isOver: true).groups.map(\.rule)).intersection(Self.rules)
        #expect(found.isSubset(of: expected), "\(found)")
    }
}
