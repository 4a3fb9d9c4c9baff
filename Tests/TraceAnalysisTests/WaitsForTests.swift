import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// What each task waits for, and the queries that find it.
@Suite struct WaitsForTests {
    @Test("Tasks in an actor's queue wait for the actor, each with its place, whatever executor they requested; on: and waits: find them")
    func queuedForAnActor() throws {
        var swift = SwiftTrace()
        let actor = swift.trace.executor("Inventory", .actor)
        let calls = (0..<18).map { _ in swift.task("reserve", .detached) }
        for call in calls {
            swift.enqueue(call, on: swift.global)
            swift.begin(call, on: swift.global)
            swift.wait(microseconds: 1)
            swift.leave(call, from: swift.global, to: actor)
        }
        let store = swift.trace.store()
        let fifth = try #require(store.task(calls[4]))
        let wait = try #require(WaitsFor(fifth, in: store))
        #expect(wait.kind == .executor)
        #expect(wait.executor == actor)
        #expect(wait.position(of: calls[4], in: store) == 5)
        #expect(wait.text(in: store) == "Inventory")
        for query in ["on:Inventory", "waits:Inventory", "waits:executor", "waits~invent"] {
            #expect(try TaskQueryMatcher(TaskQuery(query), in: store).tasks() == calls, "\(query)")
        }
        #expect(try TaskQueryMatcher(TaskQuery("waits:task"), in: store).tasks().isEmpty)
    }

    @Test(
        "A task waits for a value, a group, a continuation or a change of executor; a running or ended task waits for nothing")
    func suspended() throws {
        var swift = SwiftTrace()
        let (one, other) = (swift.task("one"), swift.task("other"))
        swift.enqueue(one, on: swift.global)
        swift.begin(one, on: swift.global)
        func kind(_ task: TaskID) throws -> WaitsFor? {
            let store = swift.trace.store()
            let view = try #require(store.task(task))
            return WaitsFor(view, in: store)
        }
        #expect(try kind(one) == nil)
        #expect(try kind(other) == nil)
        swift.suspend(one, .task, awaiting: other, on: swift.global)
        #expect(try kind(one) == WaitsFor(.task, task: other))
        let reasons: [(SuspensionReason, WaitsFor.Kind)] = [(.group, .group), (.continuation, .continuation), (.awaiting, .call)]
        for (reason, expected) in reasons {
            swift.trace.complete(other)
            swift.wait(microseconds: 1)
            swift.begin(one, on: swift.global)
            swift.suspend(one, reason, on: swift.global)
            #expect(try kind(one)?.kind == expected, "\(reason)")
        }
        swift.begin(one, on: swift.global)
        swift.complete(one)
        #expect(try kind(one) == nil)
    }

    @Test("A continuation waits for its antecedent, a join for the first input that has not ended, a delay for its time")
    func chains() throws {
        var trace = TraceBuilder()
        let (first, second) = (trace.source("first"), trace.source("second"))
        let next = trace.continuation("next", of: first)
        let join = trace.join(of: [first, second])
        let delay = trace.delay()
        trace.complete(first)
        let store = trace.store()
        func wait(_ task: TaskID) throws -> WaitsFor? {
            let view = try #require(store.task(task))
            return WaitsFor(view, in: store)
        }
        #expect(try wait(join) == WaitsFor(.task, task: second))
        #expect(try wait(delay) == WaitsFor(.timer))
        #expect(try wait(next) == nil, "its turn has come")
        let source = try #require(try wait(second))
        #expect(source.kind == .source)
        #expect(source.site(in: store) == "App/main.swift:1")
        #expect(try TaskQueryMatcher(TaskQuery("waits:second"), in: store).tasks() == [join])
    }

    @Test("Each creation place has the number of its live tasks, the number of all its tasks, and the oldest task's age")
    func sites() {
        var trace = TraceBuilder()
        let first = trace.source("a", line: 7)
        trace.advance(milliseconds: 500)
        _ = trace.source("b", line: 7)
        trace.complete(first)
        _ = trace.source("c", line: 9)
        trace.advance(milliseconds: 500)
        trace.mark("end")
        let sites = LiveSite.all(in: trace.store())
        #expect(sites.map(\.site) == ["App/main.swift:7", "App/main.swift:9"])
        #expect(sites.map(\.live) == [1, 1])
        #expect(sites.map(\.created) == [2, 1])
        #expect(sites[0].oldest == 500_000_000)
        #expect(sites.map { $0.thousandthsPerSecond(until: 1_000_000_000) } == [1000, 2000])
        #expect(sites.map { $0.growthText(until: 1_000_000_000) } == ["+60/min", "+120/min"])
        #expect(sites[0].growthText(until: 100_000_000) == "+10/s")
        #expect(sites[0].growthText(until: 100_000_000_000) == "+36/h")
        // 20 million tasks within a nanosecond.
        var burst = LiveSite(site: "App/main.swift:7", first: 0)
        burst.live = 20_000_000
        #expect(burst.thousandthsPerSecond(until: 1) == 1_000_000_000_000_000_000)
    }
}
