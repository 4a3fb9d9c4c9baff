import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

/// The hazards of Swift Concurrency's recipes on real programs, by name, and what each is warned of; and their good twins, which are warned of
/// nothing.
struct Hazard: Sendable, CustomTestStringConvertible {
    let name: String
    let rules: Set<String>
    let twin: String

    var testDescription: String { name }

    static let all = [
        Hazard(name: "invisible-error", rules: ["unobserved-fault"], twin: "visible-error"),
        Hazard(name: "unordered", rules: ["start-order"], twin: "ordered"),
        Hazard(name: "blocked", rules: ["pool-starvation"], twin: "unblocked"),
        Hazard(name: "semaphore", rules: ["blocking-wait"], twin: "suspended"),
        Hazard(name: "slept", rules: ["blocking-wait"], twin: "suspended"),
        Hazard(name: "fixed-priority", rules: ["fixed-priority"], twin: "own-priority"),
        Hazard(name: "inverted", rules: ["main-stall", "priority-inversion"], twin: "unstalled"),
        Hazard(name: "reentrant", rules: ["actor-reentrancy"], twin: "careful"),
        Hazard(name: "slow-start", rules: ["slow-start"], twin: "immediate"),
        Hazard(name: "stalled", rules: ["main-stall"], twin: "unstalled"),
        Hazard(name: "render-elsewhere", rules: ["off-main"], twin: "render-on-main"),
        Hazard(name: "bouncing", rules: ["hop-bounce"], twin: "batched"),
        Hazard(name: "never-resumed", rules: ["never-completed"], twin: "resumed"),
        Hazard(name: "late-cancelled", rules: ["late-cancel"], twin: "cancelled"),
        Hazard(name: "fanned", rules: ["fan-out"], twin: "bounded"),
        Hazard(name: "deadlocked", rules: ["wait-cycle"], twin: "ordered"),
    ]
}

@Suite(.serialized)
struct HazardTests {
    /// On a machine that is busy with something else any thread may stand still for longer than a rule's threshold, which is then true of the
    /// program as well: so often a program may show it.
    private static let attempts = 4

    @Test("A program with a hazard is warned of it and of nothing else", arguments: Hazard.all)
    func hazard(_ hazard: Hazard) async throws {
        let found = try await Self.rules(of: hazard.name, expecting: hazard.rules)
        #expect(found == hazard.rules)
    }

    @Test("Its good twin is warned of nothing", arguments: Set(Hazard.all.map(\.twin)).sorted())
    func twin(name: String) async throws {
        let found = try await Self.rules(of: name, expecting: [])
        #expect(found.isEmpty)
    }

    private static func rules(of name: String, expecting rules: Set<String>) async throws -> Set<String> {
        var found: Set<String> = []
        for _ in 0..<attempts {
            let run = try await WatchedRun(ProgramBuild.debug.program("Hazards"), [name])
            #expect(run.status == 0, "\(run.output)")
            #expect(run.lost == 0)
            found = Self.rules(of: run)
            if found == rules { break }
        }
        return found
    }

    private static func rules(of run: WatchedRun) -> Set<String> {
        var settings = WarningSettings()
        settings.mainNames = [NamePattern("render")]
        let engine = WarningEngine(settings: settings)
        return Set(engine.list(in: run.store, isOver: true).groups.map(\.rule))
    }
}
