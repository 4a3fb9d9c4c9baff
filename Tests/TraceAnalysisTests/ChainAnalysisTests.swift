import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@testable import TraceAnalysis

@Suite struct ChainAnalysisTests {
    private static func ids(_ ids: Int...) -> [TaskID] {
        ids.map { TaskID(rawValue: UInt64($0)) }
    }

    /// root 1 ← 2 ← 4, root 1 ← 3; chain 5 ← 6; join 7 of 4 and 6 ← 8; a root 9 that returns 8.
    private static func network() -> TraceBuilder {
        var trace = TraceBuilder()
        let root = trace.root("root")
        let left = trace.continuation("left", of: root)
        _ = trace.continuation("right", of: root)
        let leaf = trace.continuation("leaf", of: left)
        let other = trace.root("other")
        let next = trace.continuation("next", of: other)
        let join = trace.join(of: [leaf, next])
        let end = trace.continuation("end", of: join)
        let outer = trace.root("outer")
        trace.link(outer, to: end, role: .inner)
        return trace
    }

    @Test("A chain is its root with all tasks that continue from it, whichever of its tasks is selected", arguments: [1, 2, 3, 4])
    func members(id: Int) {
        let store = Self.network().store()
        let chain = ChainAnalysis(store).chain(of: TaskID(rawValue: UInt64(id)))
        #expect(chain == Chain(id: TaskID(rawValue: 1), tasks: Self.ids(1, 2, 3, 4)))
    }

    @Test("A join's chain is linked to its inputs', a flattening task's to its inner task's")
    func linked() {
        let store = Self.network().store()
        let chains = ChainAnalysis(store)
        #expect(chains.chain(of: TaskID(rawValue: 8))?.linked == Self.ids(1, 5))
        #expect(chains.chain(of: TaskID(rawValue: 9))?.linked == Self.ids(7))
        #expect(chains.chains(connectedWith: TaskID(rawValue: 9)).map(\.id) == Self.ids(9, 7, 1, 5))
        #expect(chains.chains(connectedWith: TaskID(rawValue: 1)).map(\.id) == Self.ids(1, 7, 5, 9))
    }

    @Test("A limit keeps the tasks that led to the selected one, and reports that some are left out", arguments: [1, 2, 3])
    func limited(limit: Int) {
        let store = Self.network().store()
        let chain = ChainAnalysis(store).chain(of: TaskID(rawValue: 4), limit: limit)
        #expect(chain?.tasks.contains(TaskID(rawValue: 4)) == true)
        #expect(chain?.tasks.count ?? 0 <= limit)
        #expect(chain?.isPartial == true)
        let shown = ChainAnalysis(store).chains(connectedWith: TaskID(rawValue: 9), limit: 4)
        #expect(shown.reduce(0) { $0 + $1.tasks.count } == 4)
    }

    @Test("A limit bounds the links that are examined too", arguments: [TaskKind.unstructured, .continuation])
    func boundedLinks(kind: TaskKind) {
        var trace = TraceBuilder()
        let parent = trace.create(.unstructured, "parent")
        let children = (0..<50_000).map { _ in trace.create(kind, "child", of: [parent]) }
        let store = trace.store()
        for task in [parent, children[49_999]] {
            let before = store.readCount
            let chains = ChainAnalysis(store).chains(connectedWith: task, limit: 100)
            #expect(chains.contains { $0.tasks.contains(task) })
            #expect(chains.reduce(0) { $0 + $1.tasks.count } <= 100)
            #expect(store.readCount - before < 20_000)
        }
    }

    @Test("A limit that the chain fits into leaves nothing out")
    func fits() {
        let store = Self.network().store()
        #expect(ChainAnalysis(store).chain(of: TaskID(rawValue: 4), limit: 4) == ChainAnalysis(store).chain(of: TaskID(rawValue: 1)))
    }

    @Test("A limit keeps the nearer half of a long path to the task")
    func longWay() {
        var trace = TraceBuilder()
        var last = trace.root("root")
        for _ in 1..<20 { last = trace.continuation("next", of: last) }
        let store = trace.store()
        #expect(ChainAnalysis(store).chain(of: last, limit: 6)?.tasks == Self.ids(18, 19, 20))
        #expect(ChainAnalysis(store).chain(of: TaskID(rawValue: 10), limit: 6)?.tasks == Self.ids(8, 9, 10, 11, 12, 13))
    }

    @Test("A chain with an evicted beginning is shown in part; an unknown task has no chain")
    func cut() {
        var trace = TraceBuilder()
        let root = trace.root("root")
        trace.complete(root)
        let other = trace.root("other")
        trace.complete(other)
        let store = trace.store(retention: Retention(endedTasks: 1))
        trace.advance(milliseconds: 1)
        let late = trace.continuation("late", of: root)
        store.apply(trace.events[4...])
        #expect(ChainAnalysis(store).chain(of: late) == Chain(id: root, tasks: [late], isPartial: true))
        #expect(ChainAnalysis(store).chain(of: TaskID(rawValue: 99)) == nil)
        #expect(ChainAnalysis(store).chains(connectedWith: TaskID(rawValue: 99)).isEmpty)
    }

    @Test("A chain of 100,000 links and a chain that is its own antecedent are both analysed")
    func extremes() {
        var trace = TraceBuilder()
        var last = trace.root("root")
        for _ in 1..<100_000 { last = trace.create(.continuation, of: [last]) }
        let store = trace.store()
        #expect(ChainAnalysis(store).chain(of: last)?.tasks.count == 100_000)

        var circle = TraceBuilder()
        let one = circle.reserveTask()
        let other = circle.create(.continuation, of: [one])
        circle.created(one, .continuation, of: [other])
        let broken = circle.store()
        #expect(ChainAnalysis(broken).chain(of: one)?.tasks.isEmpty == false)
        #expect(ChainAnalysis(broken).chain(of: other)?.tasks.isEmpty == false)
    }

    // MARK: Durations and ends

    @Test("A chain with an open task lasts until now")
    func duration() {
        var trace = TraceBuilder()
        let queue = trace.executor("queue", .queue)
        let root = trace.root("root", on: queue)
        trace.run(root, after: 2, milliseconds: 3)
        let next = trace.continuation("next", of: root, on: queue)
        trace.run(next, after: 4, milliseconds: 5)
        let open = trace.continuation("open", of: next, on: queue)
        trace.enqueue(open)
        let store = trace.store()
        store.advance(to: 20_000_000)
        let chains = ChainAnalysis(store)
        guard let chain = chains.chain(of: root) else { return }
        #expect(chains.duration(of: chain) == 20_000_000)
    }

    @Test("A chain's outcome has a sentence")
    func summaries() {
        func summary(_ build: (inout TraceBuilder) -> Void) -> String {
            var trace = TraceBuilder()
            build(&trace)
            let store = trace.store()
            let chains = ChainAnalysis(store)
            return chains.chain(of: TaskID(rawValue: 1)).map { chains.summary(of: $0) } ?? ""
        }
        let origin: (inout TraceBuilder) -> TaskID = { trace in
            let task = trace.root("origin")
            trace.advance(milliseconds: 2)
            trace.fault(task, type: "KinesisError", message: "throttled")
            return task
        }
        #expect(summary { $0.complete($0.root("root")) } == "succeeded in 0 ns")
        #expect(summary { $0.cancel($0.root("root")) } == "cancelled after 0 ns")
        #expect(summary { _ = $0.root("root") } == "1 of 1 task has not ended")
        #expect(summary { _ = origin(&$0) } == "failed after 2.0 ms: KinesisError.throttled, which was never read")
        #expect(
            summary { trace in trace.readError(of: origin(&trace)) }
                == "failed after 2.0 ms: KinesisError.throttled, which was read outside of the tasks")
        #expect(
            summary { trace in
                let failed = origin(&trace)
                trace.complete(trace.running(failed, reading: failed))
            } == "succeeded in 2.0 ms, recovered from KinesisError.throttled")
    }
}
