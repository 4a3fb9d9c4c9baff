import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

@Suite struct HopClassTests {
    /// A program with a main queue and one other.
    private struct Program {
        var trace = TraceBuilder()
        let main, net, fallback: ExecutorID

        init() {
            main = trace.executor("main", .main)
            net = trace.executor("net", .queue)
            fallback = trace.executor("default", .default)
        }

        /// A continuation whose job hops from one executor to another, waits and runs.
        mutating func job(
            of antecedent: TaskID, from: ExecutorID, to: ExecutorID, wait: UInt64, run: UInt64, _ manner: HopManner = .dispatched
        ) -> TaskID {
            let task = trace.continuation("job", of: antecedent, on: to)
            trace.hop(task, from: from, manner)
            trace.run(task, after: wait, milliseconds: run)
            return task
        }

        /// A continuation that runs inside its antecedent's job.
        mutating func inline(of antecedent: TaskID, milliseconds: UInt64 = 0) -> TaskID {
            let task = trace.continuation("inline", of: antecedent, on: fallback)
            trace.start(task, .inline)
            trace.advance(milliseconds: milliseconds)
            trace.complete(task)
            return task
        }

        mutating func root(on executor: ExecutorID) -> TaskID {
            let task = trace.root("root", on: executor)
            trace.run(task)
            return task
        }

        /// The classes of all hops, in order.
        var classes: [HopClass] {
            let store = trace.store()
            return HopAnalysis(store).hops().map(\.hopClass)
        }
    }

    @Test("The tasks that follow one with many hops are looked at once, not once for each hop")
    func work() {
        func reads(hops: Int) -> Int {
            var program = Program()
            let root = program.root(on: program.net)
            let task = program.trace.continuation("task", of: root, on: program.main)
            for _ in 0..<hops {
                program.trace.hop(task, from: program.net)
                program.trace.enqueue(task)
                program.trace.advance(milliseconds: 1)
                program.trace.start(task)
                program.trace.suspend(task)
            }
            for _ in 0..<100 { _ = program.job(of: task, from: program.main, to: program.net, wait: 1, run: 1) }
            let store = program.trace.store()
            let before = store.readCount
            #expect(HopAnalysis(store).hops().count == hops + 100)
            return store.readCount - before
        }
        let (few, many) = (reads(hops: 10), reads(hops: 50))
        #expect(many - few < 40 * 20, "\(few) and \(many) reads")
    }

    @Test("A job through a queue is dispatched, also from a thread of no executor")
    func dispatched() {
        var program = Program()
        let root = program.root(on: .none)
        _ = program.job(of: root, from: .none, to: program.main, wait: 3, run: 1)
        #expect(program.classes == [.dispatched])
    }

    @Test("A root's job is no hop")
    func rootIsNoHop() {
        var program = Program()
        _ = program.root(on: program.net)
        #expect(program.classes.isEmpty)
    }

    @Test("A hop through a queue onto the same executor is redundant")
    func redundant() {
        var program = Program()
        let root = program.root(on: program.net)
        _ = program.job(of: root, from: program.net, to: program.net, wait: 1, run: 1)
        #expect(program.classes == [.redundant])
    }

    @Test("Past its depth, `default` hops by its depth guard, which beats the other classes")
    func depthGuard() {
        var program = Program()
        let root = program.root(on: program.fallback)
        let one = program.job(of: root, from: program.fallback, to: program.fallback, wait: 1, run: 1, .depthGuard)
        let there = program.job(of: one, from: program.fallback, to: program.net, wait: 9, run: 1)
        _ = program.job(of: there, from: program.net, to: program.fallback, wait: 9, run: 1, .depthGuard)
        #expect(program.classes == [.depthGuard, .bounce, .depthGuard])
    }

    @Test("A hop that takes an actor without suspending is inline")
    func inline() {
        var program = Program()
        let actor = program.trace.executor("actor", .actor)
        let task = program.trace.create(.unstructured, "task")
        program.trace.hop(task, from: program.net, to: actor, .inline)
        #expect(program.classes == [.inline])
    }

    // MARK: Bounces

    @Test(
        "Two opposite hops are both bounces if the visit is shorter than the two waits together",
        arguments: [(wait: 3, visit: 5, isBounce: true), (3, 6, false), (3, 7, false), (0, 0, false)])
    func bounce(wait: UInt64, visit: UInt64, isBounce: Bool) {
        var program = Program()
        let root = program.root(on: program.main)
        let there = program.job(of: root, from: program.main, to: program.net, wait: wait, run: visit)
        _ = program.job(of: there, from: program.net, to: program.main, wait: wait, run: 1)
        #expect(program.classes == (isBounce ? [.bounce, .bounce] : [.dispatched, .dispatched]))
    }

    @Test("Bodies that ran inline during the visit are part of it")
    func bounceWithInlineBodies() {
        for (milliseconds, expected) in [(1 as UInt64, HopClass.bounce), (9, .dispatched)] {
            var program = Program()
            let root = program.root(on: program.main)
            let there = program.job(of: root, from: program.main, to: program.net, wait: 3, run: 1)
            let inside = program.inline(of: there, milliseconds: milliseconds)
            let skipped = program.trace.continuation("skipped", of: inside)
            program.trace.skip(skipped)
            _ = program.job(of: skipped, from: program.net, to: program.main, wait: 3, run: 1)
            #expect(program.classes == [expected, expected])
        }
    }

    @Test("A third executor, another chain or a queued job make no bounce")
    func noBounce() {
        var third = Program()
        let disk = third.trace.executor("disk", .queue)
        let one = third.job(of: third.root(on: third.main), from: third.main, to: third.net, wait: 9, run: 1)
        _ = third.job(of: one, from: third.net, to: disk, wait: 9, run: 1)
        #expect(third.classes == [.dispatched, .dispatched])

        var chains = Program()
        let there = chains.job(of: chains.root(on: chains.main), from: chains.main, to: chains.net, wait: 9, run: 1)
        let join = chains.trace.join(of: [there])
        chains.trace.complete(join)
        _ = chains.job(of: join, from: chains.net, to: chains.main, wait: 9, run: 1)
        #expect(chains.classes == [.dispatched, .dispatched])

        var open = Program()
        let visitor = open.job(of: open.root(on: open.main), from: open.main, to: open.net, wait: 9, run: 1)
        let queued = open.trace.continuation("queued", of: visitor, on: open.main)
        open.trace.hop(queued, from: open.net)
        open.trace.enqueue(queued)
        #expect(open.classes == [.dispatched, .dispatched])
    }

    @Test("A hop from a thread of no executor is no bounce")
    func noBounceFromNowhere() {
        var program = Program()
        let there = program.job(of: program.root(on: .none), from: .none, to: program.net, wait: 9, run: 1)
        _ = program.job(of: there, from: program.net, to: program.main, wait: 9, run: 1)
        #expect(program.classes == [.dispatched, .dispatched])
    }

    @Test("Every hop of a repeated bounce is a bounce")
    func storm() {
        var program = Program()
        var last = program.root(on: program.main)
        for index in 0..<6 {
            let (from, to) = index.isMultiple(of: 2) ? (program.main, program.net) : (program.net, program.main)
            last = program.job(of: last, from: from, to: to, wait: 2, run: 1)
        }
        #expect(program.classes == [HopClass](repeating: .bounce, count: 6))
    }

    @Test("A hop back is a bounce even after thousands of other followers, and the search for its hop there is bounded")
    func wideFan() {
        var program = Program()
        let there = program.job(of: program.root(on: program.main), from: program.main, to: program.net, wait: 9, run: 1)
        for _ in 0..<5_000 { _ = program.inline(of: there) }
        _ = program.job(of: there, from: program.net, to: program.main, wait: 9, run: 1)
        #expect(program.classes == [.dispatched, .bounce])
    }

    @Test("A circle of links ends the search")
    func circle() {
        var program = Program()
        let one = program.trace.reserveTask()
        let other = program.trace.create(.continuation, of: [one], on: program.main)
        program.trace.created(one, .continuation, of: [other], on: program.main)
        program.trace.hop(one, from: program.net)
        program.trace.start(other, .inline)
        program.trace.run(one)
        #expect(program.classes == [.dispatched])
    }

    // MARK: Lists

    @Test("Hops are sorted by time, then by task; routes onto main first, then by count")
    func order() {
        var program = Program()
        let root = program.root(on: .none)
        let first = program.trace.continuation("first", of: root, on: program.net)
        let second = program.trace.continuation("second", of: root, on: program.net)
        let third = program.trace.continuation("third", of: root, on: program.main)
        program.trace.hop(third, from: .none)
        program.trace.advance(milliseconds: 1)
        program.trace.hop(second, from: .none)
        program.trace.hop(first, from: .none)
        let store = program.trace.store()
        let analysis = HopAnalysis(store)
        #expect(analysis.hops().map(\.hop.task) == [third, first, second])
        let routes = analysis.routes(of: analysis.hops())
        #expect(routes.map(\.to) == [program.main, program.net])
        #expect(routes.map(\.count) == [1, 2])
        #expect(routes.map { $0.count(of: .dispatched) } == [1, 2])
        #expect(routes.allSatisfy { $0.waits.count == 0 })
    }
}
