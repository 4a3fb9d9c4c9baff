import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

/// A trace without a route of observation leads to fewer findings, and to no additional ones.
@Suite(.serialized)
struct BlindnessTests {
    /// Rules that look for missing events: a missing route could look like a problem to them. The other rules measure times, which a busy
    /// machine may exceed in any run.
    private static let rules: Set = [
        "unobserved-fault", "swallowed-error", "never-completed", "wait-cycle", "task-growth", "start-order", "actor-reentrancy",
        "off-main",
    ]

    /// The safe variants of all hazards, one after the other in one program.
    private static let twins = Set(Hazard.all.map(\.twin)).sorted()

    @Test("Safe programs raise no warning about missing events, whichever route is missing", arguments: TraceRoutes.named.map(\.route))
    func twins(without route: TraceRoutes) async throws {
        let run = try await WatchedRun(ProgramBuild.debug.hazards(), Self.twins, without: route)
        #expect(run.status == 0)
        var settings = WarningSettings()
        settings.mainNames = [NamePattern("render")]
        settings.onceNames = [NamePattern("*Cache")]
        let list = WarningEngine(settings: settings).list(in: run.store, isOver: true)
        let found = list.groups.map(\.rule).filter { Self.rules.contains($0) }
        #expect(found.isEmpty, "\(list.findings.map { list.message(of: $0, in: run.store) })")
        let unchecked = Set(list.checks.filter { !$0.isChecked }.map(\.rule))
        #expect(unchecked.isSuperset(of: WarningRules.all.filter { $0.needs.contains(route) }.map(\.id)))
    }

    @Test("A missing route adds no warning to a program with hazards", arguments: TraceRoutes.named.map(\.route))
    func hazards(without route: TraceRoutes) async throws {
        let names = ["invisible-error", "unordered", "reentrant", "never-resumed", "deadlocked"]
        let run = try await WatchedRun(ProgramBuild.debug.hazards(), names, without: route)
        let expected = Hazard.all.filter { names.contains($0.name) }.reduce(into: Set<String>()) { $0.formUnion($1.rules) }
        var settings = WarningSettings()
        settings.onceNames = [NamePattern("*Cache")]
        let found = Set(WarningEngine(settings: settings).list(in: run.store, isOver: true).groups.map(\.rule)).intersection(Self.rules)
        #expect(found.isSubset(of: expected), "\(found)")
    }
}
