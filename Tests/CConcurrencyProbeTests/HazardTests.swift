import Foundation
import TaskEvents
import Testing
import TraceAnalysis
import TraceStore

/// The hazards of Swift Concurrency's recipes as real programs, with the warning for each hazard, and safe variants without warnings.
struct Hazard: Sendable, CustomTestStringConvertible {
    let name: String
    let rules: Set<String>
    let twin: String

    var testDescription: String { name }

    /// The rules that this runtime offers the routes for.
    var checkedRules: Set<String> {
        Set(WarningRules.all.filter { rules.contains($0.id) && $0.needs.isSubset(of: .offered) }.map(\.id))
    }

    static let all = [
        Hazard(name: "invisible-error", rules: ["unobserved-fault"], twin: "visible-error"),
        Hazard(name: "unordered", rules: ["start-order"], twin: "ordered"),
        Hazard(name: "blocked", rules: ["pool-starvation"], twin: "unblocked"),
        Hazard(name: "semaphore", rules: ["blocking-wait"], twin: "suspended"),
        Hazard(name: "slept", rules: ["blocking-wait"], twin: "suspended"),
        Hazard(name: "mutexed", rules: ["blocking-wait"], twin: "suspended"),
        Hazard(name: "fixed-priority", rules: ["fixed-priority"], twin: "own-priority"),
        Hazard(name: "inverted", rules: ["main-stall", "priority-inversion"], twin: "unstalled"),
        Hazard(name: "reentrant", rules: ["actor-reentrancy"], twin: "careful"),
        Hazard(name: "slow-start", rules: ["main-stall", "slow-start"], twin: "immediate"),
        Hazard(name: "stalled", rules: ["main-stall"], twin: "unstalled"),
        Hazard(name: "render-elsewhere", rules: ["off-main"], twin: "render-on-main"),
        Hazard(name: "bouncing", rules: ["hop-bounce"], twin: "batched"),
        Hazard(name: "never-resumed", rules: ["never-completed"], twin: "resumed"),
        Hazard(name: "late-cancelled", rules: ["late-cancel"], twin: "cancelled"),
        Hazard(name: "deaf-after-await", rules: ["late-cancel"], twin: "cancelled"),
        Hazard(name: "stored-late", rules: ["cancelled-before-stored"], twin: "stored-in-time"),
        Hazard(name: "fanned", rules: ["fan-out"], twin: "bounded"),
        Hazard(name: "deadlocked", rules: ["wait-cycle"], twin: "ordered"),
    ]
}

@Suite(.serialized)
struct HazardTests {
    /// The number of attempts to get the expected warnings. On a busy machine any thread may stand still for longer than a rule's
    /// threshold, and then a further warning is true.
    private static let attempts = 4

    @Test("A program with a hazard gets the warnings of that hazard and no others", arguments: Hazard.all)
    func hazard(_ hazard: Hazard) async throws {
        let (found, unchecked) = try await Self.rules(of: hazard.name, expecting: hazard.checkedRules)
        #expect(found == hazard.checkedRules)
        #expect(unchecked.isSuperset(of: hazard.rules.subtracting(hazard.checkedRules)))
    }

    @Test("The safe variant of a hazard gets no warning", arguments: Set(Hazard.all.map(\.twin)).sorted())
    func twin(name: String) async throws {
        let (found, _) = try await Self.rules(of: name, expecting: [])
        #expect(found.isEmpty)
    }

    @Test(
        "A wait that blocks is placed at the program's call",
        arguments: [
            ("semaphore", "semaphore.wait(timeout:"), ("slept", "Thread.sleep("), ("locked", "// contended"),
            ("mutexed", "// held Mutex"), ("read-locked", "// held by a writer"), ("counted", "// no permit"),
        ],
        [ProgramBuild.debug, .release])
    func siteOfWait(of hazard: (name: String, call: String), _ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.hazards(), [hazard.name]).symbolized
        let line = try ProgramBuild.line(of: hazard.call, in: "Hazards")
        let store = run.store
        let list = WarningEngine(settings: WarningSettings()).list(in: store, isOver: true)
        let finding = try #require(list.findings.first { $0.rule == "blocking-wait" })
        #expect(list.site(of: finding, in: store) == "Hazards.swift:\(line)")
        #expect(list.message(of: finding, in: store).hasSuffix(", Hazards.swift:\(line)."))
    }

    @Test("System calls and locks return the same with the probe, and the same error number", arguments: [ProgramBuild.debug, .release])
    func systemCalls(_ build: ProgramBuild) async throws {
        let program = try build.program("SystemCalls")
        let plain = try await WatchedRun(program, preloads: false, isWatched: false)
        let run = try await WatchedRun(program)
        #expect(plain.status == 0 && run.status == 0)
        #expect(plain.output.hasPrefix("maps true\nno file -1 \(EBADF)\n"))
        #expect(run.output == plain.output)
        // A wait that the C library carries out by another one is recorded once.
        let waits = run.events.filter { $0.kind == .waitBegan || $0.kind == .waitEnded }.map(\.kind)
        #expect(waits.count >= 8)
        #expect(waits == waits.indices.map { $0.isMultiple(of: 2) ? .waitBegan : .waitEnded })
    }

    @Test("The wait of a thread that has crashed for Swift's backtracer is none of its task", arguments: [ProgramBuild.debug, .release])
    func crashed(_ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.hazards(), ["crashed"])
        #expect(run.status == 128 + SIGILL || run.status == 128 + SIGTRAP)
        #expect(run.events.contains { $0.kind == .started })
        #expect(!run.events.contains { $0.kind == .waitBegan })
    }

    @Test("With the runtime in the program no blocking call is recorded, the trace says so, and the rule is not checked")
    func noWaitsWithALinkedRuntime() async throws {
        let run = try await WatchedRun(ProgramBuild.staticallyLinked.hazards(), ["semaphore"], preloads: false)
        #expect(run.status == 0)
        #expect(run.events.contains { $0.kind == .completed })
        #expect(!run.events.contains { $0.kind == .waitBegan })
        #expect(run.entries.swiftRoutes.isDisjoint(with: [.blocking, .blocks]))
        let list = WarningEngine(settings: WarningSettings()).list(in: run.store, isOver: true)
        #expect(list.checks.contains { $0.rule == "blocking-wait" && $0.obstacle != nil })
    }

    @Test(
        "A continuation that is never resumed is placed where its task awaits it",
        .enabled(if: TraceRoutes.offered.contains(.continuations), "a runtime without a symbol table does not show such continuations"),
        arguments: [ProgramBuild.debug, .release])
    func siteOfContinuation(_ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.hazards(), ["never-resumed"]).symbolized
        let site = try "Hazards.swift:\(ProgramBuild.line(of: "// never resumed", in: "Hazards"))"
        let store = run.store
        let list = WarningEngine(settings: WarningSettings()).list(in: store, isOver: true)
        let group = try #require(list.groups.first { $0.rule == "never-completed" })
        #expect(group.site == site)
        #expect(list.site(of: group.first, in: store) == site)
    }

    @Test("Repeated work is placed at the await that the calls came to", arguments: [ProgramBuild.debug, .release])
    func placeOfReentrancy(_ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.hazards(), ["reentrant"]).symbolized
        var settings = WarningSettings()
        settings.onceNames = [NamePattern("CarelessCache")]
        let store = run.store
        let list = WarningEngine(settings: settings).list(in: store, isOver: true)
        let finding = try #require(list.findings.first { $0.rule == "actor-reentrancy" })
        #expect(try list.site(of: finding, in: store) == "Hazards.swift:\(ProgramBuild.line(of: "// repeated", in: "Hazards"))")
    }

    @Test("A late cancellation is placed at the await after which the task did not look", arguments: [ProgramBuild.debug, .release])
    func placeOfLateCancel(_ build: ProgramBuild) async throws {
        let run = try await WatchedRun(build.hazards(), ["deaf-after-await"]).symbolized
        let store = run.store
        let list = WarningEngine(settings: WarningSettings()).list(in: store, isOver: true)
        let finding = try #require(list.findings.first { $0.rule == "late-cancel" })
        let line = try ProgramBuild.line(of: "// looks no more", in: "CancellationHazards")
        #expect(list.site(of: finding, in: store) == "CancellationHazards.swift:\(line)")
        #expect(list.message(of: finding, in: store).hasSuffix("without a look, longest after CancellationHazards.swift:\(line)."))
    }

    @Test(
        "A continuation that is stored after the cancellation is found in every run, and its twin in none",
        arguments: [ProgramBuild.debug, .release])
    func storedLate(_ build: ProgramBuild) async throws {
        let site = try "CancellationHazards.swift:\(ProgramBuild.line(of: "// stored late", in: "CancellationHazards"))"
        for name in ["stored-late", "stored-in-time"] {
            let run = try await WatchedRun(build.hazards(), [name]).symbolized
            let store = run.store
            let list = WarningEngine(settings: WarningSettings()).list(in: store, isOver: true)
            let found = list.findings.filter { $0.rule == "cancelled-before-stored" }
            #expect(found.map { list.site(of: $0, in: store) } == (name == "stored-late" ? [site] : []), "\(build) \(name)")
        }
    }

    /// The rules that report something, and the rules that were not checked.
    private static func rules(of name: String, expecting rules: Set<String>) async throws -> (found: Set<String>, unchecked: Set<String>) {
        var settings = WarningSettings()
        settings.mainNames = [NamePattern("render")]
        settings.onceNames = [NamePattern("*Cache")]
        var result: (found: Set<String>, unchecked: Set<String>) = ([], [])
        for _ in 0..<attempts {
            let run = try await WatchedRun(ProgramBuild.debug.hazards(), [name]).symbolized
            #expect(run.status == 0, "\(run.output)")
            #expect(run.lost == 0)
            let list = WarningEngine(settings: settings).list(in: run.store, isOver: true)
            result = (Set(list.groups.map(\.rule)), Set(list.checks.filter { !$0.isChecked }.map(\.rule)))
            if result.found == rules { break }
        }
        return result
    }
}
