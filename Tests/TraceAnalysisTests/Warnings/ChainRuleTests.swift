import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// The cost of a chain's shape and hops.
@Suite struct HopBounceTests {
    /// A chain that hops to main and back `times` times, with each hop waiting `wait`.
    private static func trace(trips: Int, wait: UInt64 = 3, visit: UInt64 = 1) -> TraceBuilder {
        var trace = TraceBuilder()
        let (main, net) = (trace.executor("main", .main), trace.executor("net", .queue))
        var last = trace.root("root", on: net)
        trace.run(last)
        for _ in 0..<trips {
            for (from, to, length) in [(net, main, visit), (main, net, 50 as UInt64)] {
                let task = trace.continuation(to == main ? "there" : "back", of: last, on: to)
                trace.hop(task, from: from)
                trace.run(task, after: wait, milliseconds: length)
                last = task
            }
        }
        return trace
    }

    @Test("More round trips in a row than the threshold are reported once, as many as the threshold are not")
    func boundary() {
        let trace = Self.trace(trips: 4)
        let warned = Warned(trace)
        #expect(warned.rules == ["hop-bounce"])
        #expect(warned.list.count == 1)
        #expect(warned.evidence("hop-bounce").count == 8)
        #expect(
            warned.messages == [
                "The chain that begins with `root` went to and fro between main and net 4 times in a row, "
                    + "each visit shorter than its two waits; they waited 24.0 ms of 178.0 ms."
            ])
        #expect(warned.unproven(trace).isEmpty)
        #expect(Warned(Self.trace(trips: 3)).list.isEmpty)
        let many = Warned(Self.trace(trips: 100))
        #expect(many.list.count == 1)
        #expect(many.messages.first?.contains("100 times in a row") == true && many.messages.first?.contains("waited 600.0 ms") == true)
    }

    @Test("A row of hops that is short at both ends is one finding, not two")
    func bothEnds() {
        var trace = TraceBuilder()
        let (one, other) = (trace.executor("one", .queue), trace.executor("other", .queue))
        var last = trace.root("root", on: one)
        trace.run(last)
        for number in 0..<40 {
            let (from, to) = number.isMultiple(of: 2) ? (one, other) : (other, one)
            let task = trace.continuation("hop", of: last, on: to)
            trace.hop(task, from: from)
            trace.run(task, after: 5, milliseconds: 1)
            last = task
        }
        #expect(Warned(trace).findings("hop-bounce").count == 1)
    }

    @Test("Visits that take longer than their waits are not reported")
    func worthwhile() {
        #expect(Warned(Self.trace(trips: 50, wait: 3, visit: 6)).list.isEmpty)
        #expect(Warned(Self.trace(trips: 50, wait: 3, visit: 5)).rules == ["hop-bounce"])
    }
}

@Suite struct RedundantHopTests {
    private static func trace(hops: Int, isElsewhere: Bool = false) -> TraceBuilder {
        var trace = TraceBuilder()
        let (net, disk) = (trace.executor("net", .queue), trace.executor("disk", .queue))
        var last = trace.root("root", on: net)
        trace.run(last)
        for number in 0..<hops {
            let task = trace.continuation("step", of: last, on: isElsewhere && number.isMultiple(of: 2) ? disk : net)
            trace.hop(task, from: isElsewhere && !number.isMultiple(of: 2) ? disk : net)
            trace.run(task, after: 0, milliseconds: 9)
            last = task
        }
        return trace
    }

    @Test("More redundant hops in a row than the threshold are reported once, as many as the threshold are not")
    func boundary() {
        let trace = Self.trace(hops: 9)
        let warned = Warned(trace)
        #expect(warned.rules == ["redundant-hop"])
        #expect(warned.list.count == 1)
        #expect(
            warned.messages == [
                "The chain up to `step` went more than 8 times in a row through the queue of net, where it was already."
            ])
        #expect(warned.unproven(trace).isEmpty)
        #expect(Warned(Self.trace(hops: 8)).list.isEmpty)
        #expect(Warned(Self.trace(hops: 200)).list.count == 1)
    }

    @Test("Hops to another executor are not redundant")
    func elsewhere() {
        #expect(Warned(Self.trace(hops: 60, isElsewhere: true)).list.isEmpty)
    }

    @Test("Bodies that run inline between the hops change nothing")
    func inline() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .queue)
        var last = trace.root("root", on: net)
        trace.run(last)
        for _ in 0..<9 {
            let inline = trace.continuation("inline", of: last, on: trace.executor("default", .default))
            trace.start(inline, .inline)
            trace.complete(inline)
            let task = trace.continuation("step", of: inline, on: net)
            trace.hop(task, from: net)
            trace.run(task)
            last = task
        }
        #expect(Warned(trace).rules == ["redundant-hop"])
    }
}

@Suite struct FanOutTests {
    private static func trace(_ count: Int, _ kind: TaskKind = .continuation) -> TraceBuilder {
        var trace = TraceBuilder()
        let source = trace.source("start")
        for _ in 0..<count { _ = trace.create(kind, "next", of: [source]) }
        trace.complete(source)
        return trace
    }

    @Test("More continuations of one task than the threshold are reported, as many as the threshold are not")
    func boundary() {
        let trace = Self.trace(101)
        let warned = Warned(trace, isOver: false)
        #expect(warned.rules == ["fan-out"])
        #expect(warned.messages == ["`start` is continued by more than 100 tasks."])
        #expect(warned.unproven(trace).isEmpty)
        #expect(Warned(Self.trace(100), isOver: false).list.isEmpty)
        #expect(Warned(Self.trace(1), isOver: false, .threshold("fan-out", 0)).rules == ["fan-out"])
    }

    @Test("Joins of a task do not count as its continuations")
    func joins() {
        #expect(Warned(Self.trace(1000, .join), isOver: false).list.isEmpty)
    }

    @Test("A fan-out that grows over many batches is reported once")
    func growing() {
        let trace = Self.trace(500)
        let store = TraceBuilder().store()
        store.entries = trace.entries
        let engine = WarningEngine()
        for event in trace.events {
            store.apply(event)
            engine.follow(store)
        }
        #expect(engine.list(in: store, isOver: false).count == 1)
    }
}

@Suite struct StartOrderTests {
    /// Three jobs that one thread put on an executor, started in another order.
    private static func trace(_ kind: ExecutorKind, _ order: [Int], lanes: [UInt16] = [0, 0, 0], overlap: Bool = false) -> TraceBuilder {
        var trace = TraceBuilder()
        let executor = trace.executor("ui", kind)
        let tasks = ["a", "b", "c"].map { trace.root($0, on: executor) }
        for (task, lane) in zip(tasks, lanes) {
            trace.lane = lane
            trace.advance(microseconds: 10)
            trace.enqueue(task)
        }
        trace.lane = 9
        for number in order {
            trace.advance(microseconds: 10)
            trace.start(tasks[number])
            trace.complete(tasks[number])
            if !overlap { trace.endJob(tasks[number]) }
        }
        return trace
    }

    @Test("A job that was overtaken by a later job of the same thread is reported")
    func found() {
        let trace = Self.trace(.custom, [1, 0, 2])
        let warned = Warned(trace)
        #expect(warned.rules == ["start-order"])
        #expect(warned.evidence("start-order") == ["enqueued 1", "enqueued 2", "started 2", "started 1"])
        #expect(warned.messages == ["`a` was put on ui before `b`, and began after it."])
        #expect(warned.unproven(trace).isEmpty)
    }

    @Test("Jobs in order, of different threads, on several threads, or on a custom executor are not reported")
    func quiet() {
        #expect(Warned(Self.trace(.custom, [0, 1, 2])).list.isEmpty)
        #expect(Warned(Self.trace(.custom, [1, 0, 2], lanes: [0, 1, 1])).list.isEmpty)
        #expect(Warned(Self.trace(.custom, [1, 0, 2], overlap: true)).list.isEmpty)
        #expect(Warned(Self.trace(.queue, [1, 0, 2])).list.isEmpty)
    }
}

@Suite struct OffMainTests {
    private static func warned(_ name: String, on kind: ExecutorKind, inline: Bool = false) -> [String] {
        var settings = WarningSettings()
        settings.mainNames = [NamePattern("render*")]
        var trace = TraceBuilder()
        let executor = trace.executor(kind == .main ? "main" : "net", kind)
        let root = trace.root("root", on: executor)
        trace.start(root)
        let task = trace.continuation(name, of: root, on: inline ? trace.executor("default", .default) : executor)
        trace.complete(root)
        if inline { trace.start(task, .inline) } else { trace.endJob(root) }
        if !inline { trace.run(task) } else { trace.complete(task) }
        return Warned(trace, settings).messages
    }

    @Test("A task that the settings assign to main is reported where it runs elsewhere, in a queue or inline", arguments: [false, true])
    func found(inline: Bool) {
        #expect(Self.warned("renderList", on: .pool, inline: inline) == ["`renderList` belongs on main and ran on net."])
    }

    @Test("A task on main, or with another name, is not reported", arguments: [false, true])
    func quiet(inline: Bool) {
        #expect(Self.warned("renderList", on: .main, inline: inline).isEmpty)
        #expect(Self.warned("list", on: .pool, inline: inline).isEmpty)
    }
}
