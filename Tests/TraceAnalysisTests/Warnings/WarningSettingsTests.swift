import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@Suite struct WarningSettingsTests {
    /// Two unobserved faults, and a job that occupies main for 60 ms.
    private static func trace() -> TraceBuilder {
        var trace = TraceBuilder()
        trace.fault(trace.source("probe 1", line: 1), type: "Timeout")
        trace.fault(trace.source("request", line: 2), type: "Timeout")
        let main = trace.executor("main", .main)
        trace.run(trace.root("render", on: main), milliseconds: 60)
        return trace
    }

    private static func settings(_ flags: [String] = [], suppressing suppressions: [String] = []) throws -> WarningSettings {
        var settings = WarningSettings()
        for flag in flags { try settings.set(flag) }
        for flag in suppressions { try settings.suppress(flag) }
        return settings
    }

    @Test(
        "Flags set thresholds and switch rules off and on",
        arguments: [
            ([], ["unobserved-fault"]),
            (["main-stall=59ms"], ["unobserved-fault", "main-stall"]),
            (["main-stall=0.06s"], ["unobserved-fault"]),
            (["main-stall=59999.999us", "unobserved-fault=off"], ["main-stall"]),
            (["unobserved-fault=off", "unobserved-fault=on"], ["unobserved-fault"]),
        ] as [([String], [String])])
    func flags(flags: [String], rules: [String]) throws {
        #expect(Warned(Self.trace(), try Self.settings(flags)).rules == rules)
    }

    @Test(
        "Suppressions apply by rule and name, and are counted",
        arguments: [
            (["unobserved-fault:probe*"], 1, 1), (["*:probe ?"], 1, 1), (["*:*"], 0, 2), (["main-stall:probe*"], 2, 0),
            (["*:probe"], 2, 0), (["*:probe*", "*:request"], 0, 2),
        ])
    func suppressions(flags: [String], count: Int, suppressed: Int) throws {
        let list = Warned(Self.trace(), try Self.settings(suppressing: flags)).list
        #expect(list.count == count && list.suppressedCount == suppressed)
    }

    @Test(
        "An invalid flag is refused with a sentence that names the permitted values",
        arguments: [
            "main-stall", "main-stal=5ms", "main-stall=5", "main-stall=fast", "fan-out=1.5", "fan-out=5ms", "completed-twice=3",
            "main-stall=.ms", "main-stall=1.ms", "main-stall=99999999999999999999s", "=", "",
        ])
    func wrong(flag: String) {
        let error = #expect(throws: WarningSettingError.self) { try Self.settings([flag]) }
        #expect(error?.description.hasSuffix(".") == true)
    }

    @Test("A suppression without a name, or of an unknown rule, is refused", arguments: ["main-stall", "main-stall:", "nothing:x", ""])
    func wrongSuppression(flag: String) {
        let error = #expect(throws: WarningSettingError.self) { try Self.settings(suppressing: [flag]) }
        #expect(error?.description.hasSuffix(".") == true)
    }

    @Test("Changed settings apply from the next list on, also to earlier events")
    func changed() throws {
        let store = Self.trace().store()
        let engine = WarningEngine()
        #expect(engine.list(in: store, isOver: true).groups.map(\.rule) == ["unobserved-fault", "unobserved-fault"])
        engine.settings = try Self.settings(["main-stall=10ms"], suppressing: ["*:probe*"])
        #expect(engine.list(in: store, isOver: true).groups.map(\.rule) == ["unobserved-fault", "main-stall"])
        engine.settings = try Self.settings(["main-stall=off"])
        #expect(engine.list(in: store, isOver: true).count == 2)
        engine.settings = WarningSettings()
        #expect(engine.list(in: store, isOver: true).count == 2)
    }

    @Test("Settings that change while events wait to be followed apply to all events")
    func changedBetweenBatches() throws {
        let trace = Self.trace()
        for count in 0...trace.events.count {
            let store = TraceStore()
            store.entries = trace.entries
            let engine = WarningEngine()
            store.apply(TraceBatch(events: Array(trace.events[..<count]), lanes: Array(trace.lanes[..<count])))
            engine.follow(store)
            store.apply(TraceBatch(events: Array(trace.events[count...]), lanes: Array(trace.lanes[count...])))
            engine.settings = try Self.settings(["main-stall=10ms"])
            let rules = engine.list(in: store, isOver: true).groups.map(\.rule)
            #expect(rules == WarningEngine(settings: engine.settings).list(in: store, isOver: true).groups.map(\.rule), "after \(count)")
        }
    }

    @Test(
        "A pattern matches names",
        arguments: [
            ("a*c", "abc", true), ("a*c", "ac", true), ("a*c", "acb", false), ("*b*", "abc", true), ("?", "", false), ("", "", true),
            ("*a*a*", "banana", true), ("*ab", "aab", true), ("é*", "école", true),
        ])
    func patterns(pattern: String, name: String, matches: Bool) {
        #expect(NamePattern(pattern).matches(name) == matches)
    }
}
