import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit
import TraceTransport

@Suite struct WarningEngineTests {
    /// `count` tasks made at one line that fail unobserved.
    private static func faults(_ count: Int, name: (Int) -> String = { _ in "request" }) -> TraceBuilder {
        var trace = TraceBuilder()
        for number in 0..<count {
            trace.advance(microseconds: 1)
            trace.fault(trace.source(name(number), line: 7), type: "Timeout")
        }
        return trace
    }

    @Test("10,000 findings of one kind are one group, whatever the tasks' names", arguments: [false, true])
    func groups(haveNames: Bool) {
        let trace = Self.faults(10_000) { haveNames ? "request \($0)" : "request" }
        let list = Warned(trace).list
        #expect(list.groups.count == 1 && list.count == 10_000)
        #expect(list.groups.first?.site == "App/main.swift:7")
        #expect(list.groups.first?.newest.task == TaskID(rawValue: 10_000))
        #expect(list.groups.first?.first.task == TaskID(rawValue: 1))
    }

    @Test("Past the limit the first findings are kept and all are counted")
    func limit() {
        let store = Self.faults(100).store()
        let list = WarningEngine(limit: 10).list(in: store, isOver: true)
        #expect(list.count == 100 && list.groups.first?.findings.map(\.task.rawValue) == Array(1...10))
    }

    @Test("A finding calls its task by the name that the task has now, and by the earlier one once the task is gone")
    func laterName() throws {
        var trace = Self.faults(1)
        let earlier = trace.label("Server.run()", line: 1)
        let store = trace.store()
        let list = WarningEngine().list(in: store, isOver: true)
        var finding = try #require(list.groups.first?.first)
        finding.label = earlier
        #expect(list.message(of: finding, in: store).hasPrefix("`request` "))
        finding.task = TaskID(rawValue: 99)
        #expect(list.message(of: finding, in: store).hasPrefix("`Server.run()` "))
    }

    @Test("Findings are sorted by severity, then in the rules' order, then by time")
    func order() {
        var trace = Self.faults(1)
        let main = trace.executor("main", .main)
        for _ in 0..<2 {
            let task = trace.root("render", on: main, line: UInt32(trace.events.count))
            trace.run(task, milliseconds: 200)
        }
        let source = trace.source("fan", line: 90)
        for _ in 0..<200 { _ = trace.continuation("next", of: source) }
        trace.complete(source)
        trace.completeTwice(source, isError: true)
        let warned = Warned(trace)
        #expect(warned.list.groups.map(\.rule) == ["completed-twice", "unobserved-fault", "main-stall", "main-stall", "fan-out"])
        #expect(warned.list.count(of: .error) == 2 && warned.list.count(of: .warning) == 2 && warned.list.count(of: .note) == 1)
    }

    @Test("The findings are the same event by event, batch by batch and all at once", arguments: 1...8)
    func steps(seed: UInt64) {
        let trace = RandomTrace(seed: seed, tasks: 300).trace
        let whole = WarningEngine().list(in: trace.store(), isOver: true)
        for step in [1, 7, 100] {
            let store = TraceStore()
            store.entries = trace.entries
            let engine = WarningEngine()
            for start in stride(from: 0, to: trace.events.count, by: step) {
                let end = min(start + step, trace.events.count)
                store.apply(TraceBatch(events: Array(trace.events[start..<end]), lanes: Array(trace.lanes[start..<end])))
                _ = engine.list(in: store, isOver: false)
            }
            let list = engine.list(in: store, isOver: true)
            #expect(Set(list.findings) == Set(whole.findings))
            #expect(list.groups.map(\.rule) == whole.groups.map(\.rule))
        }
    }

    @Test("Any interleaving of the threads' records gives findings of the same rules", arguments: 1...20)
    func interleaved(seed: UInt64) {
        let random = RandomTrace(seed: seed, tasks: 300)
        let expected = Warned(random.trace).list
        let store = TraceStore()
        store.entries = random.trace.entries
        store.apply(random.interleaved(seed: seed &+ 1))
        let list = WarningEngine().list(in: store, isOver: true)
        let faults = { (list: WarningList) in list.groups.filter { $0.rule.hasSuffix("fault") || $0.rule.hasSuffix("error") } }
        #expect(Set(faults(list).flatMap(\.findings).map(\.task)) == Set(faults(expected).flatMap(\.findings).map(\.task)))
        #expect(Set(list.groups.map(\.rule)).isSubset(of: ["unobserved-fault", "swallowed-error"]))
    }

    @Test("Evicted events are counted, and the kept ones are checked")
    func missed() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        trace.run(trace.root("early", on: main), milliseconds: 200)
        for _ in 0..<262_144 { trace.mark("noise") }
        trace.run(trace.root("late", on: main), milliseconds: 200)
        let list = Warned(trace).list
        #expect(list.missedEvents == 10)
        #expect(list.groups.map(\.rule) == ["main-stall"] && list.count == 1)
        #expect(list.groups.first?.first.task == TaskID(rawValue: 2))
    }

    @Test("A store that goes back in time is read from the beginning")
    func back() {
        let (long, short) = (Self.faults(5).store(), Self.faults(2).store())
        let engine = WarningEngine()
        #expect(engine.list(in: long, isOver: true).count == 5)
        #expect(engine.list(in: short, isOver: true).count == 2)
        #expect(engine.list(in: long, isOver: true).count == 5)
    }

    @Test("A finding keeps its task's name and place after the task's eviction")
    func evicted() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        trace.run(trace.root("render", on: main, line: 3), milliseconds: 200)
        let store = trace.store(retention: Retention(endedTasks: 2))
        let engine = WarningEngine()
        engine.follow(store)
        for _ in 0..<10 { trace.complete(trace.source("noise")) }
        store.entries = trace.entries
        store.apply(trace.events.suffix(20))
        #expect(store.task(TaskID(rawValue: 1)) == nil)
        let list = engine.list(in: store, isOver: false)
        #expect(list.groups.map(\.site) == ["App/main.swift:3"])
        #expect(list.groups.map { list.message(of: $0, in: store) } == ["`render` kept main busy for 200.0 ms."])
    }
}
