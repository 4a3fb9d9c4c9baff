import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@testable import TraceAnalysis

/// The chain of what holds a task, a closure or an executor, in chains and in Swift Concurrency.
@Suite struct WaitChainTests {
    /// The links' names and texts, and the sentence below a ring.
    private func lines(_ subject: WaitChain.Subject, _ store: TraceStore) -> [String] {
        let chain = WaitChain(of: subject, in: store)
        let (words, waits) = (TaskWords(store), WaitWords(store))
        let links = chain.links.indices.map {
            "\(words.name(of: chain.links[$0].subject)) \(waits.text(ofLink: $0, of: chain))"
        }
        return links + (waits.closing(of: chain).map { [$0] } ?? [])
    }

    // MARK: Chains

    @Test("A continuation waits for its antecedent, down to the job that runs")
    func continuation() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        let load = trace.root("load", on: net, line: 7)
        let parse = trace.continuation("parse", of: load, on: net)
        trace.start(load)
        trace.advance(milliseconds: 20)
        trace.mark("now")
        #expect(lines(.task(parse), trace.store()) == ["`parse` continues `load`, for 20.0 ms", "`load` runs on net, for 20.0 ms"])
    }

    @Test("A join names an open input, and how many there are; a source that nothing has set ends the chain with its age")
    func join() {
        var trace = TraceBuilder()
        let (first, second) = (trace.source("first"), trace.source("second"))
        trace.advance(milliseconds: 5)
        let join = trace.join("all", of: [first, second])
        trace.advance(milliseconds: 5)
        trace.mark("now")
        #expect(
            lines(.task(join), trace.store()) == [
                "`all` joins tasks, of which 2 are open: `first`, for 5.0 ms", "`first` nothing has set it for 10.0 ms",
            ])
        trace.complete(first)
        trace.release(second)
        #expect(
            lines(.task(join), trace.store()) == [
                "`all` joins tasks, of which 1 is open: `second`, for 5.0 ms", "`second` was released: nothing can set it any more",
            ])
    }

    @Test("A job in a queue waits for the job that runs, a closure by name and place; the executor itself is explained likewise")
    func queue() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        trace.startClosure("draw(_:)", on: main, line: 29)
        let (one, two) = (trace.root("one", on: main), trace.root("two", on: main))
        trace.enqueue(one)
        trace.advance(milliseconds: 4)
        trace.enqueue(two)
        trace.advance(milliseconds: 5)
        trace.mark("now")
        let store = trace.store()
        #expect(
            lines(.task(two), store) == [
                "`two` waits for main, place 2 in its queue, for 5.0 ms; main runs `draw(_:)`", "`draw(_:)` runs on main, for 9.0 ms",
            ])
        #expect(TaskWords(store).site(of: WaitChain(of: .task(two), in: store).links[1].subject) == "main.swift:29")
        #expect(
            lines(.executor(main), store) == [
                "main runs `draw(_:)`; 2 jobs wait, the first for 9.0 ms", "`draw(_:)` runs on main, for 9.0 ms",
            ])
        trace.endJob(.none, on: main)
        #expect(lines(.executor(main), trace.store()).last?.contains("the trace shows no job that runs on main") == true)
    }

    @Test("An executor without jobs and an ended task wait for nothing")
    func trivial() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        let task = trace.root("task", on: net)
        trace.run(task)
        let store = trace.store()
        #expect(lines(.executor(net), store) == ["net runs nothing, and no job waits for it"])
        #expect(lines(.task(task), store) == ["`task` has ended and waits for nothing"])
        #expect(WaitChain(of: .task(task), in: store).isTrivial)
        #expect(WaitChain.worst(in: store) == nil)
    }

    @Test("A job that a gate holds says so")
    func held() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        let task = trace.root("task", on: net)
        trace.enqueue(task)
        trace.emit(TaskEvent(.held, task: task, executor: net))
        trace.advance(milliseconds: 1)
        trace.mark("now")
        #expect(lines(.task(task), trace.store()) == ["`task` a gate holds it, for 1.0 ms"])
        #expect(lines(.executor(net), trace.store()) == ["net a gate holds it, for 1.0 ms"])
    }

    /// Two transfers that each hold a queue and block for the other's.
    private func deadlock() -> (trace: TraceBuilder, transfers: [TaskID], credits: [TaskID]) {
        var trace = TraceBuilder()
        let queues = [trace.executor("savings", .queue), trace.executor("current", .queue)]
        let transfers = [trace.root("from savings", on: queues[0]), trace.root("from current", on: queues[1])]
        for (lane, transfer) in transfers.enumerated() {
            trace.lane = UInt16(lane + 1)
            trace.start(transfer)
        }
        let credits = [trace.root("credit current", on: queues[1]), trace.root("credit savings", on: queues[0])]
        for (lane, credit) in credits.enumerated() {
            trace.lane = UInt16(lane + 1)
            trace.enqueue(credit)
            trace.beginWait(for: credit, by: transfers[lane], in: trace.label("transfer()", line: 12))
        }
        return (trace, transfers, credits)
    }

    @Test("A deadlock is a ring, once its jobs have waited long enough to prove it, and any task before the ring leads into it")
    func ring() throws {
        var (trace, transfers, credits) = deadlock()
        let after = trace.continuation("after", of: transfers[0])
        trace.advance(milliseconds: 100)
        trace.mark("not yet")
        var chain = WaitChain(of: .task(after), in: trace.store())
        guard case .unknown(let why) = chain.end else { return #expect(Bool(false), "\(chain.end)") }
        #expect(why.contains("leads back to `from savings`"))
        trace.advance(nanoseconds: 1)
        trace.mark("now")
        let store = trace.store()
        chain = WaitChain(of: .task(after), in: store)
        #expect(chain.end == .ring(1))
        #expect(chain.links.map(\.subject) == ([after, transfers[0], credits[0], transfers[1], credits[1]]).map { .task($0) })
        #expect(!chain.isInRing(0) && chain.isInRing(1))
        #expect(
            lines(.task(after), store) == [
                "`after` continues `from savings`, for 100.0 ms",
                "`from savings` blocks its thread until `credit current` has ended, for 100.0 ms, at main.swift:12",
                "`credit current` waits for current, place 1 in its queue, for 100.0 ms; current runs `from current`",
                "`from current` blocks its thread until `credit savings` has ended, for 100.0 ms, at main.swift:12",
                "`credit savings` waits for savings, place 1 in its queue, for 100.0 ms; savings runs `from savings`",
                "Back to `from savings`: none of these 4 can go on.",
            ])
        #expect(WaitChain.worst(in: store) == .task(transfers[0]))
        #expect(try TaskQueryMatcher(TaskQuery("waits:thread"), in: store).tasks() == transfers)
        #expect(try TaskQueryMatcher(TaskQuery("waits~credit"), in: store).tasks() == transfers)
    }

    @Test("A blocked thread is known at every place of the time cursor, and no more once it goes on")
    func cursor() throws {
        var (trace, transfers, credits) = deadlock()
        trace.lane = 1
        trace.endWait(for: credits[0], by: transfers[0], timedOut: true)
        let history = TraceHistory()
        history.latest.entries = trace.entries
        history.apply(trace.batch)
        for number in stride(from: history.eventCount, through: 0, by: -1) {
            history.seek(to: number)
            let began = trace.events.prefix(number).contains { $0.kind == .waitBegan && $0.other == transfers[0].rawValue }
            let ended = trace.events.prefix(number).contains { $0.kind == .waitEnded }
            let wait = history.store.task(transfers[0]).flatMap { WaitsFor($0, in: history.store) }
            #expect((wait?.kind == .thread) == (began && !ended), "event \(number)")
        }
    }

    @Test("A task that returns itself is a ring of one")
    func itself() {
        var trace = TraceBuilder()
        let task = trace.root("loop")
        trace.start(task, .inline)
        trace.wait(task, forInner: task)
        #expect(
            lines(.task(task), trace.store()) == [
                "`loop` returned `loop` and ends with it, for 0 ns", "It waits for itself and cannot go on.",
            ])
    }

    @Test("A long run of continuations is folded, and a chain of a thousand links ends with the reason")
    func long() throws {
        var trace = TraceBuilder()
        var task = trace.source("begin")
        for number in 1...100 { task = trace.continuation("step \(number)", of: task) }
        let store = trace.store()
        let chain = WaitChain(of: .task(task), in: store)
        #expect(chain.links.count == 101)
        #expect(chain.rows(in: store) == [.link(0), .link(1), .more(96), .link(98), .link(99), .link(100)])
        for number in 101...1000 { task = trace.continuation("step \(number)", of: task) }
        #expect(WaitChain(of: .task(task), in: trace.store()).end == .unknown("more than 1,000 wait for one another"))
    }

    @Test("A wait that began before records were lost is unknown, with the reason")
    func lost() {
        var trace = TraceBuilder()
        let source = trace.source("source")
        let next = trace.continuation("next", of: source)
        trace.advance(milliseconds: 1)
        trace.lose(12)
        #expect(
            lines(.task(next), trace.store()) == [
                "`next` waits for `source`, for 1.0 ms; the rest is unknown: 12 records were lost"
            ])
    }

    // MARK: Swift Concurrency

    @Test("An awaiting task leads to a queued one, to the actor's job, and to the call in which that blocks its thread")
    func actor() {
        var swift = SwiftTrace()
        let actor = swift.trace.executor("Inventory", .actor)
        let (holder, waiter, outer) = (swift.task("holder"), swift.task("waiter"), swift.task("outer"))
        swift.begin(holder, on: actor, lane: 11)
        swift.trace.beginWait(for: .none, by: holder, in: swift.trace.label("fetch()", line: 40))
        swift.enqueue(waiter, on: actor)
        swift.begin(outer, on: swift.global, lane: 12)
        swift.suspend(outer, .task, awaiting: waiter, on: swift.global)
        swift.wait(milliseconds: 3)
        swift.trace.mark("now")
        #expect(
            lines(.task(outer), swift.trace.store()) == [
                "`outer` awaits `waiter`, for 3.0 ms",
                "`waiter` waits for Inventory, place 1 in its queue, for 3.0 ms; Inventory runs `holder`",
                "`holder` blocks its thread in fetch(), for 3.0 ms, at main.swift:40",
            ])
    }

    @Test(
        "A group leads to an open child, a sleep to its timer, and a continuation says that nothing has resumed it, or that it was dropped")
    func suspensions() {
        var swift = SwiftTrace()
        let parent = swift.task("parent")
        swift.begin(parent, on: swift.global)
        let children = (1...2).map { _ in swift.task("child", .groupChild, by: parent) }
        swift.suspend(parent, .group, on: swift.global)
        for child in children {
            swift.begin(child, on: swift.global)
            swift.suspend(child, .continuation, on: swift.global)
        }
        swift.wait(milliseconds: 2)
        swift.trace.mark("now")
        #expect(
            lines(.task(parent), swift.trace.store()) == [
                "`parent` awaits its group: `child`, one of 2 open tasks, for 2.0 ms",
                "`child` awaits a continuation that nothing has resumed, for 2.0 ms",
            ])
        swift.trace.release(children[0])
        #expect(lines(.task(parent), swift.trace.store()).last == "`child` awaits a continuation that was dropped, for 2.0 ms")
    }

    @Test("Where a route is missing, the chain ends with the reason", arguments: [TraceRoutes.waits, .slices, .queues])
    func blind(without route: TraceRoutes) throws {
        var swift = SwiftTrace()
        let (task, other) = (swift.task("task"), swift.task("other"))
        swift.enqueue(task, on: swift.global)
        if route != .queues {
            swift.begin(task, on: swift.global)
            swift.suspend(task, .task, awaiting: other, on: swift.global)
        }
        let store = swift.trace.store()
        #expect(!lines(.task(task), store)[0].contains("the trace does not show"))
        store.entries.append(.swiftRoutes(TraceRoutes.all.subtracting(route)))
        let subject = try #require(route.subjects.first)
        #expect(lines(.task(task), store).count == 1)
        #expect(lines(.task(task), store)[0].hasSuffix("unknown: the trace does not show \(subject)"))
    }

    @Test("A running task whose blocking calls cannot be seen runs, and may block")
    func unseenBlocking() {
        var swift = SwiftTrace()
        let task = swift.task("task")
        swift.begin(task, on: swift.global)
        let store = swift.trace.store()
        store.entries.append(.swiftRoutes(TraceRoutes.all.subtracting(.blocking)))
        #expect(lines(.task(task), store) == ["`task` runs on global, for 0 ns; whether its thread blocks, the trace cannot tell"])
    }

    // MARK: Hops

    @Test("A hop names the job that it waited for, a closure by name, and how many others ran meanwhile")
    func hops() throws {
        var trace = TraceBuilder()
        let (main, net) = (trace.executor("main", .main), trace.executor("net", .pool))
        let root = trace.root("root", on: net)
        trace.run(root)
        trace.startClosure("draw(_:)", on: main, line: 29)
        trace.advance(milliseconds: 1)
        let show = trace.continuation("show", of: root, on: main)
        trace.hop(show, from: net)
        trace.enqueue(show)
        trace.advance(milliseconds: 7)
        trace.endJob(.none, on: main)
        let quick = trace.root("quick", on: main)
        trace.start(quick)
        trace.advance(milliseconds: 2)
        let open = HopAnalysis(trace.store())
        let waiting = try #require(open.hops().first)
        #expect(open.cause(of: waiting.hop)?.label != EntryID.none)
        trace.complete(quick)
        trace.endJob(quick)
        trace.start(show)
        trace.advance(milliseconds: 50)
        trace.complete(show)
        trace.endJob(show)
        let store = trace.store()
        let analysis = HopAnalysis(store)
        let hop = try #require(analysis.hops().first).hop
        let cause = try #require(analysis.cause(of: hop))
        #expect(cause.task == .none && cause.time == 7_000_000 && cause.others == 1 && cause.isSerial)
        #expect(TaskWords(store).name(of: cause.task, closure: cause.label) == "draw(_:)")
        #expect(store.executor(main)?.longestJob?.task == show)
    }

    @Test("A hop that takes an actor inline never waits, and waited for no job, whatever runs there later")
    func inlineHop() throws {
        var trace = TraceBuilder()
        let store = trace.executor("Store", .actor)
        let (task, other) = (trace.root("task", on: store), trace.root("other", on: store))
        trace.hop(task, .inline)
        trace.advance(milliseconds: 1)
        trace.start(other)
        trace.advance(milliseconds: 3)
        trace.complete(other)
        trace.endJob(other)
        let analysis = HopAnalysis(trace.store())
        let hop = try #require(analysis.hops().first).hop
        #expect(!analysis.isWaiting(hop) && analysis.cause(of: hop) == nil)
    }

    @Test("A hop onto an idle executor waited for no job")
    func idleHop() throws {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let task = trace.root("task", on: main)
        trace.hop(task)
        trace.run(task, after: 1)
        let analysis = HopAnalysis(trace.store())
        let hop = try #require(analysis.hops().first).hop
        #expect(analysis.cause(of: hop) == nil)
    }

    @Test("A search along a long chain, or among many inputs, ends after a bounded number of tasks", arguments: [false, true])
    func bounded(isJoin: Bool) {
        let reads = [10_000, 20_000].map { count in
            var trace = TraceBuilder()
            var last = trace.root("root")
            if isJoin {
                last = trace.join(of: [last] + (1..<count).map { _ in trace.root("root") })
                last = trace.continuation("next", of: last)
            } else {
                for _ in 1..<count { last = trace.continuation("next", of: last) }
            }
            let store = trace.store()
            let before = store.readCount
            var graph = WaitGraph(store, now: store.now, patience: 0, limit: WaitChain.cycleLimit)
            let isInCycle = graph.cycle(from: last) != nil
            #expect(!isInCycle)
            return store.readCount - before
        }
        #expect(reads[0] == reads[1], "\(reads)")
    }
}
