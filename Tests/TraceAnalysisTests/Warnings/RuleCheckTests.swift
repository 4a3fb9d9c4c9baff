import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// A rule states nothing about facts that the trace cannot show, and counts as not checked.
@Suite struct RuleCheckTests {
    /// A Swift task that fails, and a reader that misses records.
    private static func failing() -> SwiftTrace {
        var swift = SwiftTrace()
        let task = swift.task("failing")
        swift.enqueue(task, on: swift.global)
        swift.begin(task, on: swift.global)
        swift.wait(microseconds: 5)
        swift.trace.fault(task, type: "Boom")
        return swift
    }

    private static func store(_ swift: SwiftTrace, without routes: TraceRoutes) -> TraceStore {
        let store = swift.trace.store()
        store.entries.append(.swiftRoutes(TraceRoutes.all.subtracting(routes)))
        store.end = .exit
        return store
    }

    @Test("A rule is not checked exactly if one of the routes that it needs is missing", arguments: TraceRoutes.named.map(\.route))
    func routes(_ route: TraceRoutes) {
        let list = WarningEngine().list(in: Self.store(Self.failing(), without: route), isOver: true)
        for rule in WarningRules.all where rule.missingSetting(WarningSettings()) == nil {
            let check = list.checks.first { $0.rule == rule.id }
            let isChecked = !rule.needs.union(rule.sees).contains(route)
            #expect(check?.isChecked == isChecked, "\(rule.id)")
            #expect((check?.why == nil) == isChecked, "\(rule.id)")
        }
    }

    @Test("A rule that sees a part of its problems reports these, and is not checked")
    func partly() throws {
        var swift = SwiftTrace()
        let main = swift.trace.executor("main", .main)
        let task = swift.task("draw")
        swift.enqueue(task, on: main)
        swift.begin(task, on: main)
        swift.wait(microseconds: 300_000)
        swift.trace.complete(task)
        let list = WarningEngine().list(in: Self.store(swift, without: .blocks), isOver: true)
        #expect(list.groups.map(\.rule) == ["main-stall"])
        let check = try #require(list.checks.first { $0.rule == "main-stall" })
        #expect(check.why == "the trace does not show blocks given to Dispatch and run loops")
        #expect(!check.isChecked)
    }

    @Test("With all routes an unread error is reported; without a route to reads its verdict is unknown, and no rule reports it")
    func reads() {
        let whole = Self.store(Self.failing(), without: [])
        #expect(WarningEngine().list(in: whole, isOver: true).groups.map(\.rule) == ["unobserved-fault"])
        #expect(FaultAnalysis(whole).faults().map(\.text) == ["1 thrown: unobserved"])
        for route in [TraceRoutes.read, .slices, .waits, .created, .ends] {
            let store = Self.store(Self.failing(), without: route)
            let list = WarningEngine().list(in: store, isOver: true)
            #expect(list.isEmpty)
            #expect(list.checks.uncheckedText?.contains("unobserved-fault") == true)
            let path = FaultAnalysis(store).path(from: TaskID(rawValue: 1))
            #expect(path?.verdict == .unknown)
            #expect(path?.blindness == .routes(route))
            #expect(FaultCounts(FaultAnalysis(store)).text == "1 fault")
        }
    }

    @Test("An error of a chain does not depend on the routes of Swift's tasks")
    func chains() {
        var trace = TraceBuilder()
        _ = trace.failed()
        let store = trace.store()
        store.entries.append(.swiftRoutes([]))
        #expect(FaultAnalysis(store).faults().map(\.text) == ["1 thrown: unobserved"])
    }

    @Test("If rules lack many different routes, the text names all missing routes once")
    func namesRoutesOnce() throws {
        let store = Self.store(Self.failing(), without: TraceRoutes.all.subtracting(.names))
        let text = try #require(WarningEngine().list(in: store, isOver: true).checks.uncheckedText)
        #expect(text.ranges(of: "does not show").count == 1, "\(text)")
        #expect(text.contains("wait-cycle, ") && text.contains("when tasks run") && text.contains("calls that block a thread"), "\(text)")
    }

    @Test("After a loss every rule is not checked, with the number of records; earlier findings stay")
    func losses() {
        var swift = Self.failing()
        swift.trace.lose(1204)
        let store = Self.store(swift, without: [])
        let list = WarningEngine().list(in: store, isOver: true)
        #expect(list.isEmpty)
        let checks = list.checks.filter { !["off-main", "actor-reentrancy"].contains($0.rule) }
        #expect(checks.allSatisfy { $0.why == "1,204 records were lost" })
        #expect(FaultAnalysis(store).faults().map(\.text) == ["1 thrown: unknown"])
        // A task that is created after the loss has lost no record.
        swift.wait(milliseconds: 1)
        let later = swift.task("later")
        swift.enqueue(later, on: swift.global)
        swift.begin(later, on: swift.global)
        swift.trace.fault(later, type: "Boom")
        #expect(FaultAnalysis(swift.trace.store()).faults().map(\.text) == ["1 thrown: unknown", "2 thrown: unobserved"])
    }

    @Test("A read that the trace contains counts, whichever route is missing")
    func proven() {
        var trace = TraceBuilder()
        let origin = trace.failed()
        trace.lose(3)
        let body = trace.running(origin, reading: origin)
        trace.complete(body)
        #expect(trace.faults == ["1 thrown, 2 recovered<1: recovered"])
    }

    @Test("The error of an async let that its scope may have read is unknown")
    func asyncLet() {
        var swift = SwiftTrace()
        let parent = swift.task("parent")
        let child = swift.task("child", .asyncLet, by: parent)
        swift.enqueue(child, on: swift.global)
        swift.begin(child, on: swift.global)
        swift.trace.fault(child, type: "Boom")
        let store = swift.trace.store()
        #expect(FaultAnalysis(store).path(from: child)?.verdict == .unknown)
        #expect(WarningEngine().list(in: store, isOver: true).isEmpty)
    }

    @Test("A rule that the settings switch off, or that lacks a setting, is not checked because of the settings")
    func settings() throws {
        var settings = WarningSettings()
        settings.off = ["main-stall"]
        let list = WarningEngine(settings: settings).list(in: Self.store(Self.failing(), without: []), isOver: true)
        let why = Dictionary(uniqueKeysWithValues: list.checks.map { ($0.rule, $0.why) })
        #expect(why["main-stall"] == "the settings switch it off")
        #expect(why["off-main"] == "no names of tasks are given for main")
        #expect(list.checks.uncheckedText == nil)
        #expect(list.checks.count == WarningRules.all.count)
    }
}
