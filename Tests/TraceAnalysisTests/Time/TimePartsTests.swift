import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// The parts of a task's life.
@Suite struct TimePartsTests {
    private func parts(_ running: UInt64, blocked: UInt64, queued: UInt64, awaiting: UInt64) -> [UInt64?] {
        [running, blocked, queued, awaiting].map { $0 * 1_000_000 }
    }

    private func parts(of task: TaskID, in store: TraceStore) -> [UInt64?]? {
        store.task(task).flatMap { TimeParts($0, in: store) }.map { [$0.running, $0.blocked, $0.queued, $0.awaiting] }
    }

    @Test("A task that runs, blocks, is queued and awaits has each part")
    func allParts() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let task = trace.root("request", on: pool)
        trace.advance(milliseconds: 1)
        trace.enqueue(task)
        trace.advance(milliseconds: 2)
        trace.start(task)
        trace.advance(milliseconds: 4)
        trace.beginWait(for: .none, by: task)
        trace.advance(milliseconds: 8)
        trace.endWait(for: .none, by: task)
        trace.advance(milliseconds: 16)
        let inner = trace.root("inner", on: pool)
        trace.wait(task, forInner: inner)
        trace.endJob(task)
        trace.advance(milliseconds: 32)
        trace.complete(inner)
        trace.complete(task)
        #expect(parts(of: task, in: trace.store()) == parts(20, blocked: 8, queued: 2, awaiting: 33))
    }

    @Test("A wait that has not ended counts until now")
    func openWait() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let task = trace.root("request", on: pool)
        trace.enqueue(task)
        trace.start(task)
        trace.advance(milliseconds: 4)
        trace.beginWait(for: .none, by: task)
        trace.advance(milliseconds: 8)
        trace.mark("now")
        #expect(parts(of: task, in: trace.store()) == parts(4, blocked: 8, queued: 0, awaiting: 0))
    }

    @Test("A thread that blocks in an inline body blocks the enclosing body, too")
    func inlineBody() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let inline = trace.executor("immediate", .immediate)
        let outer = trace.root("outer", on: pool)
        trace.enqueue(outer)
        trace.start(outer)
        trace.advance(milliseconds: 1)
        let inner = trace.root("inner", on: inline)
        trace.start(inner, .inline)
        trace.beginWait(for: .none, by: inner)
        trace.advance(milliseconds: 2)
        trace.endWait(for: .none, by: inner)
        trace.complete(inner)
        trace.advance(milliseconds: 4)
        trace.complete(outer)
        trace.endJob(outer)
        let store = trace.store()
        #expect(parts(of: outer, in: store) == parts(5, blocked: 2, queued: 0, awaiting: 0))
        #expect(parts(of: inner, in: store) == parts(0, blocked: 2, queued: 0, awaiting: 0))
    }

    @Test("A continuation awaits its antecedent; a skipped one does nothing else")
    func continuation() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let first = trace.root("first", on: pool)
        let next = trace.continuation("next", of: first, on: pool)
        trace.run(first, after: 1, milliseconds: 2)
        trace.skip(next)
        let store = trace.store()
        #expect(parts(of: first, in: store) == parts(2, blocked: 0, queued: 1, awaiting: 0))
        #expect(parts(of: next, in: store) == parts(0, blocked: 0, queued: 0, awaiting: 3))
    }

    @Test("Only tasks that lived while records were lost have unknown parts")
    func losses() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let before = trace.root("before", on: pool)
        trace.run(before)
        trace.advance(milliseconds: 1)
        let during = trace.root("during", on: pool)
        trace.enqueue(during)
        trace.advance(milliseconds: 1)
        trace.lose(3)
        trace.advance(milliseconds: 1)
        let after = trace.root("after", on: pool)
        trace.run(after)
        trace.complete(during)
        let store = trace.store()
        #expect(parts(of: before, in: store) == parts(1, blocked: 0, queued: 0, awaiting: 0))
        #expect(parts(of: during, in: store) == nil)
        #expect(parts(of: after, in: store) == parts(1, blocked: 0, queued: 0, awaiting: 0))
    }

    @Test("A loss of any lanes' records goes on until the next event")
    func damage() {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        trace.run(trace.root("before", on: pool))
        trace.emit(TaskEvent(.lost, other: 1, detail: LossManner.ofAnyLane.rawValue))
        trace.advance(milliseconds: 5)
        let after = trace.root("after", on: pool)
        trace.advance(milliseconds: 1)
        let later = trace.root("later", on: pool)
        trace.run(later)
        trace.complete(after)
        let store = trace.store()
        #expect(store.hasLoss(from: 3_000_000, until: 4_000_000))
        #expect(parts(of: after, in: store) == nil)
        #expect(parts(of: later, in: store) == parts(1, blocked: 0, queued: 0, awaiting: 0))
    }

    @Test("Without the route of a part, the part is unknown", arguments: [TraceRoutes.queues, .slices, .blocking])
    func routes(missing: TraceRoutes) {
        var trace = TraceBuilder()
        trace.state(TraceRoutes.all.subtracting(missing))
        let pool = trace.executor("pool", .global)
        let task = trace.create(.detached, "task", on: pool)
        trace.enqueue(task)
        trace.advance(milliseconds: 1)
        trace.start(task, .slice)
        trace.advance(milliseconds: 2)
        trace.complete(task)
        let known: [UInt64?] =
            switch missing {
            case .queues: [2_000_000, 0, nil, nil]
            case .blocking: [nil, nil, 1_000_000, 0]
            case _: [nil, nil, nil, nil]
            }
        #expect(parts(of: task, in: trace.store()) == known)
    }

    @Test("The parts of random traces are the generator's, and add up", arguments: 1...24)
    func randomTraces(seed: UInt64) {
        let trace = RandomTrace(seed: seed, tasks: 400, isComplete: seed % 2 == 0)
        let store = trace.trace.store()
        for (id, truth) in trace.truth {
            guard let task = store.task(id), let parts = TimeParts(task, in: store) else {
                Issue.record("task \(id.rawValue) has no parts")
                continue
            }
            #expect(parts.life == (truth.ended ?? trace.trace.now) - truth.created)
            #expect([parts.running, parts.blocked, parts.queued, parts.awaiting].reduce(0) { $0 + ($1 ?? 0) } == parts.life)
            guard let ended = truth.ended else { continue }
            let queued = truth.queued.map { (truth.started ?? ended) - $0 } ?? 0
            #expect([parts.running, parts.blocked, parts.queued] == [truth.busy, 0, queued], "task \(id.rawValue)")
        }
    }
}
