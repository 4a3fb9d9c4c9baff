import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@Suite struct PlantedCorpusTests {
    private static let plantedSeeds = UInt64(1)...20
    private static let cleanSeeds = UInt64(1)...20

    private static let settings: WarningSettings = {
        var settings = WarningSettings.ofTests
        settings.mainNames = [NamePattern("render*")]
        return settings
    }()

    @Test("Random traces without problems raise no warning, at their end or before it", arguments: 1...20)
    func clean(seed: UInt64) {
        var planted = PlantedTrace(seed: seed)
        planted.addClean(chains: 60)
        #expect(Warned(planted.trace, Self.settings).messages.isEmpty)
        let store = TraceStore()
        store.entries = planted.trace.entries
        let engine = WarningEngine(settings: Self.settings)
        for start in stride(from: 0, to: planted.trace.events.count, by: 50) {
            let end = min(start + 50, planted.trace.events.count)
            store.apply(TraceBatch(events: Array(planted.trace.events[start..<end]), lanes: Array(planted.trace.lanes[start..<end])))
            #expect(engine.list(in: store, isOver: false).isEmpty)
        }
    }

    @Test("A planted problem is found, at the planted task, with events that the trace has", arguments: WarningRules.all.map(\.id))
    func planted(rule: String) {
        // A wait that starves a pool also blocks, and a released source is also unobserved: these come together.
        let companions: Set = rule == "pool-starvation" ? ["blocking-wait"] : []
        for seed in Self.plantedSeeds {
            var planted = PlantedTrace(seed: seed)
            planted.addClean(chains: 12)
            let task = planted.plant(rule)
            planted.addClean(chains: 12)
            planted.trace.advance(milliseconds: 200)
            planted.trace.mark("end")
            let warned = Warned(planted.trace, Self.settings)
            let found = warned.findings(rule)
            #expect(found.map(\.task) == [task], "\(rule), seed \(seed): \(warned.messages)")
            #expect(Set(warned.rules).subtracting(companions) == [rule], "seed \(seed): \(warned.messages)")
            #expect(warned.unproven(planted.trace).isEmpty)
            #expect(found.allSatisfy { !$0.evidence.isEmpty })
        }
    }

    private static func warned(_ program: WarningCorpus.Program, of rule: String) -> Warned {
        var swift = SwiftTrace()
        program.build(&swift)
        var settings = settings
        settings.thresholds[rule] = program.threshold
        return Warned(swift.trace, isOver: program.isOver, settings)
    }

    @Test("The corpus has planted, clean and boundary programs for every rule")
    func counts() {
        #expect(Set(WarningCorpus.rows.map(\.rule)) == Set(WarningRules.all.map(\.id)))
        #expect(Self.plantedSeeds.count >= 20)
        #expect(Self.cleanSeeds.count >= 20)
        for row in WarningCorpus.rows {
            #expect(row.boundary.count >= 5, "\(row.rule)")
            #expect(Set(row.boundary.map(\.isFound)) == [false, true], "\(row.rule)")
            #expect(Set(row.boundary.map(\.name)).count == row.boundary.count, "\(row.rule)")
        }
    }

    @Test("A program beyond a rule's boundary is reported, one within it is not", arguments: WarningRules.all.map(\.id))
    func boundary(rule: String) throws {
        let row = try #require(WarningCorpus.row(rule))
        for program in row.boundary {
            let warned = Self.warned(program, of: rule)
            #expect(warned.rules.contains(rule) == program.isFound, "\(rule), \(program.name): \(warned.messages)")
            #expect(Set(warned.rules).subtracting(row.companions).isSubset(of: [rule]), "\(rule), \(program.name): \(warned.messages)")
        }
    }

    @Test("A program that nearly breaks a rule raises no warning", arguments: WarningRules.all.map(\.id))
    func nearly(rule: String) throws {
        let row = try #require(WarningCorpus.row(rule))
        for seed in Self.cleanSeeds {
            var planted = PlantedTrace(seed: seed)
            planted.addClean(chains: 12)
            // Last, because the trace's end decides how long a task was pending.
            planted.add(row.clean(seed: seed))
            let warned = Warned(planted.trace, Self.settings)
            #expect(Set(warned.rules).subtracting(row.companions).isEmpty, "\(rule), seed \(seed): \(warned.messages)")
            #expect(!warned.rules.contains(rule), "\(rule), seed \(seed): \(warned.messages)")
        }
    }

    @Test("All problems planted in one trace are found", arguments: 1...8)
    func together(seed: UInt64) {
        var planted = PlantedTrace(seed: seed)
        var expected: [String: [TaskID]] = [:]
        var random = SeededGenerator(seed: seed)
        for rule in (WarningRules.all + WarningRules.all).map(\.id).shuffled(using: &random) {
            planted.addClean(chains: 4)
            expected[rule, default: []].append(planted.plant(rule))
        }
        planted.trace.advance(milliseconds: 200)
        planted.trace.mark("end")
        let warned = Warned(planted.trace, Self.settings)
        for (rule, tasks) in expected {
            #expect(Set(warned.findings(rule).map(\.task)).isSuperset(of: tasks), "\(rule), seed \(seed)")
        }
    }
}
