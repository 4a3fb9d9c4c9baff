import Hopscope
import TaskEvents
import Testing
import TraceAnalysis
import TraceFile
import TraceStore
import TraceTestKit
import TraceTransport

/// The triggers of a flight recorder, each on a trace written by hand, and the recording that it leaves.
@Suite struct FlightMonitorTests {
    struct Trigger: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// A plan on which nothing but this trigger can fire.
        let plan: FlightPlan
        /// Writes the trace and returns the name of the task that fires the trigger.
        let write: @Sendable (inout TraceBuilder) -> String

        init(
            _ trigger: String, rule: Bool = true, _ change: (inout FlightPlan) -> Void = { _ in },
            _ write: @escaping @Sendable (inout TraceBuilder) -> String
        ) {
            testDescription = trigger
            var plan = FlightPlan.silent
            if rule { plan.rules = [trigger] }
            change(&plan)
            self.plan = plan
            self.write = write
        }
    }

    private static let second: UInt64 = 1_000_000_000
    private static let refusedCheckouts = (try? TaskQuery("name:checkout state:faulted")) ?? TaskQuery()

    static let triggers = [
        Trigger("slow-task", rule: false, { $0.slowTask = second }) { trace in
            let disk = trace.executor("disk", .queue)
            trace.run(trace.root("save", on: disk), milliseconds: 1001)
            return "save"
        },
        Trigger("slow-chain", rule: false, { $0.slowChain = second }) { trace in
            let disk = trace.executor("disk", .queue)
            var last = trace.root("load", on: disk)
            trace.run(last, milliseconds: 400)
            for _ in 0..<2 {
                last = trace.continuation("parse", of: last, on: disk)
                trace.run(last, milliseconds: 400)
            }
            return "load"
        },
        Trigger("query", rule: false, { $0.query = refusedCheckouts }) { trace in
            trace.fault(trace.source("checkout"), type: "Refused")
            trace.fault(trace.source("browse"), type: "Refused")
            return "checkout"
        },
        Trigger("unobserved-fault") { trace in
            let task = trace.source("request")
            trace.fault(task, type: "Timeout")
            trace.release(task)
            return "request"
        },
        Trigger("swallowed-error") { trace in
            let disk = trace.executor("disk", .queue)
            let task = trace.source("request")
            trace.fault(task, type: "Timeout")
            trace.run(trace.continuation("go on", of: task, on: disk))
            trace.release(task)
            return "request"
        },
        Trigger("main-stall") { trace in
            let main = trace.executor("main", .main)
            trace.run(trace.root("draw", on: main), milliseconds: 101)
            return "draw"
        },
        Trigger("blocking-wait") { trace in
            let pool = trace.executor("net", .pool), source = trace.source("answer")
            let body = trace.root("ask", on: pool)
            trace.enqueue(body)
            trace.start(body)
            trace.beginWait(for: source, by: body)
            trace.advance(milliseconds: 11)
            trace.complete(source)
            trace.endWait(for: source, by: body)
            trace.complete(body)
            trace.endJob(body)
            return "ask"
        },
        Trigger("wait-cycle") { trace in
            let disk = trace.executor("disk", .queue)
            let task = trace.root("again", on: disk)
            trace.start(task)
            trace.wait(task, forInner: task)
            trace.endJob(task)
            return "again"
        },
        Trigger("completed-twice") { trace in
            let task = trace.source("answer")
            trace.complete(task)
            trace.completeTwice(task, isError: true)
            return "answer"
        },
    ]

    @Test("Each trigger leaves a readable recording with its cause, and fires once", arguments: triggers)
    func fires(_ trigger: Trigger) throws {
        var trace = TraceBuilder(at: 1)
        let name = trigger.write(&trace)
        let monitor = FlightMonitor(trigger.plan, of: TraceFileHeader(program: "app", pid: 7, startRealtime: 0))
        monitor.apply(trace.sourced)
        // A program that has fallen silent: the rules wait for a while, and no later event comes.
        let causes = monitor.check(at: trace.now + 500_000_000)
        #expect(causes.first?.trigger == trigger.testDescription)
        #expect(monitor.check(at: trace.now + 500_000_001).isEmpty)

        let folder = try ScratchFolder()
        try monitor.write(causes, to: folder.path("a.hop"))
        let history = TraceHistory(try TraceFileReader(path: folder.path("a.hop")))
        history.loadAll()
        #expect(history.recording?.isComplete == true)
        let cause = try #require(causes.first)
        let task = try #require(history.store.task(cause.task))
        #expect(task.label.name == name)
        #expect(history.store.lostCount == 0)
        #expect(notes(in: history.store).contains { $0.hasPrefix("flight recorder: \(trigger.testDescription): ") })
        guard !trigger.plan.rules.isEmpty else { return }
        let found = WarningEngine().list(in: history.store, isOver: false)
        #expect(found.findings.contains { $0.rule == trigger.testDescription && $0.task == task.id })
    }

    @Test("A trace without trouble fires nothing")
    func silence() {
        var trace = TraceBuilder(at: 1)
        let disk = trace.executor("disk", .queue)
        for _ in 0..<100 { trace.run(trace.root("save", on: disk), milliseconds: 5) }
        var plan = FlightPlan()
        plan.slowTask = Self.second
        plan.slowChain = Self.second
        let monitor = FlightMonitor(plan, of: TraceFileHeader(program: "app", pid: 7, startRealtime: 0))
        monitor.apply(trace.sourced)
        #expect(monitor.check(at: trace.now).isEmpty)
    }

    @Test("A task that has not ended is slow as soon as it passes the limit")
    func running() {
        var trace = TraceBuilder(at: 1)
        _ = trace.source("answer")
        var plan = FlightPlan.silent
        plan.slowTask = Self.second
        let monitor = FlightMonitor(plan, of: TraceFileHeader(program: "app", pid: 7, startRealtime: 0))
        monitor.apply(trace.sourced)
        #expect(monitor.check(at: Self.second).isEmpty)
        #expect(monitor.check(at: Self.second + 2).map(\.trigger) == ["slow-task"])
    }

    @Test("A recording has the events of the last seconds, and states how many came before")
    func cuts() throws {
        var trace = TraceBuilder(at: 1)
        for _ in 0..<10 {
            _ = trace.source("old")
            trace.advance(milliseconds: 1000)
        }
        var plan = FlightPlan.silent
        plan.last = 3 * Self.second
        let monitor = FlightMonitor(plan, of: TraceFileHeader(program: "app", pid: 7, startRealtime: 0))
        monitor.apply(trace.sourced)
        _ = monitor.check(at: trace.now)
        let folder = try ScratchFolder()
        try monitor.write([FlightCause("asked", .none, "A test asked.")], to: folder.path("a.hop"))
        let history = TraceHistory(try TraceFileReader(path: folder.path("a.hop")))
        history.loadAll()
        #expect(history.store.taskCount == 3)
        #expect(history.store.lostCount == 7)
    }

    @Test("A recording reaches back to the origin of its cause")
    func reachesBack() throws {
        var trace = TraceBuilder(at: 1)
        _ = trace.source("answer")
        trace.advance(milliseconds: 60_000)
        trace.mark("a minute later")
        var plan = FlightPlan.silent
        plan.last = Self.second
        plan.slowTask = 10 * Self.second
        let monitor = FlightMonitor(plan, of: TraceFileHeader(program: "app", pid: 7, startRealtime: 0))
        monitor.apply(trace.sourced)
        let folder = try ScratchFolder()
        try monitor.write(monitor.check(at: trace.now), to: folder.path("a.hop"))
        let history = TraceHistory(try TraceFileReader(path: folder.path("a.hop")))
        history.loadAll()
        #expect(history.store.rows.map { history.store[$0].label.name } == ["answer"])
    }

    @Test("A trigger writes once in a pause, and all triggers so many times in an hour")
    func limits() throws {
        var trace = TraceBuilder(at: 1)
        var plan = FlightPlan.silent
        plan.query = try TaskQuery("state:faulted")
        plan.mostPerHour = 3
        let monitor = FlightMonitor(plan, of: TraceFileHeader(program: "app", pid: 7, startRealtime: 0))
        var written: [UInt64] = []
        var applied = 0
        for _ in 0..<70 {
            trace.fault(trace.source("request"), type: "Refused")
            monitor.apply(trace.sourced(from: applied))
            applied = trace.events.count
            if !monitor.check(at: trace.now).isEmpty { written.append(trace.now / (60 * Self.second)) }
            trace.advance(milliseconds: 59_000)
        }
        // 59 s after the first is too soon. The fourth comes when the first is an hour old.
        #expect(written == [0, 1, 3, 60, 62, 64])
    }

    @Test("After many events the memory is bounded, the last events are whole, and an unread error still fires")
    func manyEvents() throws {
        var trace = TraceBuilder(at: 1)
        let disk = trace.executor("disk", .queue)
        var plan = FlightPlan.silent
        plan.rules = ["unobserved-fault"]
        let monitor = FlightMonitor(plan, of: TraceFileHeader(program: "app", pid: 7, startRealtime: 0))
        var applied = 0
        for number in 0..<90_000 {
            trace.run(trace.root("save", on: disk), milliseconds: 0)
            trace.advance(microseconds: 10)
            guard number % 2000 == 1999 else { continue }
            monitor.apply(trace.sourced(from: applied))
            applied = trace.events.count
            #expect(monitor.eventCount <= 131_072 + 16_384)
        }
        let task = trace.source("request")
        trace.fault(task, type: "Timeout")
        trace.release(task)
        monitor.apply(trace.sourced(from: applied))
        let causes = monitor.check(at: trace.now + 500_000_000)
        #expect(causes.map(\.trigger) == ["unobserved-fault"])
        let folder = try ScratchFolder()
        try monitor.write(causes, to: folder.path("a.hop"))
        let reader = try TraceFileReader(path: folder.path("a.hop"))
        let history = TraceHistory(reader)
        history.loadAll()
        // A loss stands for the older events, and a mark for the cause.
        let kept = history.store.toldCount - 1
        #expect(kept >= 131_072)
        #expect(history.store.lostCount == UInt64(trace.events.count - kept))
        #expect(history.store.count(of: .faulted) == 1)
    }

    @Test("The thousandth unread error fires too")
    func manyCauses() {
        var trace = TraceBuilder(at: 1)
        var plan = FlightPlan.silent
        plan.rules = ["unobserved-fault"]
        plan.pause = 0
        plan.mostPerHour = .max
        let monitor = FlightMonitor(plan, of: TraceFileHeader(program: "app", pid: 7, startRealtime: 0))
        var applied = 0
        var fired = 0
        for _ in 0..<24 {
            for _ in 0..<100 {
                let task = trace.source("request")
                trace.fault(task, type: "Timeout")
                trace.release(task)
            }
            monitor.apply(trace.sourced(from: applied))
            applied = trace.events.count
            trace.advance(milliseconds: 200)
            fired += monitor.check(at: trace.now).count
        }
        #expect(fired == 2400)
    }

    @Test("A task that began before the oldest event in memory is slow")
    func oldTask() {
        var trace = TraceBuilder(at: 1)
        _ = trace.source("answer")
        for _ in 0..<150_000 { trace.mark("tick") }
        var plan = FlightPlan.silent
        plan.slowTask = Self.second
        let monitor = FlightMonitor(plan, of: TraceFileHeader(program: "app", pid: 7, startRealtime: 0))
        monitor.apply(trace.sourced)
        #expect(monitor.eventCount < 150_000)
        #expect(monitor.check(at: Self.second + 2).map(\.trigger) == ["slow-task"])
    }

    private func notes(in store: TraceStore) -> [String] {
        (store.oldestEvent...store.eventCount).compactMap { store.event(number: $0)?.event }.filter { $0.kind == .mark }
            .map { store.entries.text($0.label) }
    }
}

extension TraceBuilder {
    /// The batch with the names that its events refer to.
    fileprivate var sourced: TraceBatch { sourced(from: 0) }

    fileprivate func sourced(from first: Int) -> TraceBatch {
        TraceBatch(events: Array(events[first...]), lanes: Array(lanes[first...]), source: NamedLanes(entries))
    }
}
