import TaskEvents
import TerminalCanvas
import Testing
import TraceLayout
import TraceTestKit

@testable import InspectorUI

/// The room for rails beside the names.
@Suite struct RailsWidthTests {
    /// A chain of two tasks, then a join of nine chains, each of which begins before the one above it ends.
    private static var wideAboveNarrow: TraceBuilder {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        var forks: [TaskID] = []
        for number in 0..<9 {
            let root = trace.root("root \(number)", on: pool)
            forks.append(trace.continuation("fork \(number)", of: root, on: pool))
        }
        for fork in forks { _ = trace.join(of: [fork] + forks) }
        for number in 0..<40 { _ = trace.root("filler \(number)", on: pool) }
        let narrow = trace.root("narrow", on: pool)
        _ = trace.continuation("after narrow", of: narrow, on: pool)
        return trace
    }

    /// The column where a name begins in the first line that holds it.
    private func column(of name: String, in session: Session) -> Int? {
        session.lines.compactMap { line in line.firstRange(of: name).map { line.distance(from: line.startIndex, to: $0.lowerBound) } }.first
    }

    @Test(arguments: [80, 160]) func rowsOutOfSightTakeNoRoomInTheGraph(columns: Int) {
        var session = Session(Self.wideAboveNarrow, columns: columns)
        session.press(.character("2"), .end)
        #expect(column(of: "filler 39", in: session) == 8)
        session.press(.home)
        #expect(session.model.graph.rails.lanes > 3, "the join's lanes are in sight")
        session.press(.end)
        #expect(column(of: "filler 39", in: session) == 8)
    }

    @Test("A name has the room that the executor from which a job came does not need")
    func roomOfFrom() {
        var trace = TraceBuilder()
        let (pool, main) = (trace.executor("pool", .pool), trace.executor("main", .main))
        let name = "Database.lookUp(_:) Database.swift:11"
        let (first, hops) = (trace.root(name, on: pool), trace.executor("an executor with a name", .queue))
        let second = trace.continuation("show", of: first, on: main)
        trace.hop(second, from: hops)
        trace.run(second, milliseconds: 1)
        let session = Session(trace, columns: 120, screen: GraphScreen.name)
        #expect(session.lines.contains { $0.contains(" \(name) ") }, "\(session.lines)")
    }

    @Test("Names that would be cut on a narrow terminal have the room of the states' words; others leave it to them")
    func stateGlyphs() {
        func lines(_ name: String) -> [String] {
            var trace = TraceBuilder()
            trace.run(trace.root(name, on: trace.executor("pool", .pool)), milliseconds: 1)
            return Session(trace, columns: 80, screen: GraphScreen.name).lines
        }
        #expect(lines("serve(_:oven:ledger:):72").contains { $0.contains(" serve(_:oven:ledger:):72 ") && $0.contains(" ✓ ") })
        #expect(lines("serve:72").contains { $0.contains(" serve:72 ") && $0.contains(" ✓ succeeded") })
    }

    @Test("A hop to an executor that the task has left since is not told as one to where it is now")
    func leftExecutor() {
        var trace = TraceBuilder()
        let (global, oven) = (trace.executor("global", .global), trace.executor("Oven", .actor))
        let task = trace.root("bake", on: oven)
        trace.hop(task, from: global)
        trace.start(task, .dequeued)
        func line() -> String { Session(trace, columns: 120, screen: GraphScreen.name).lines.first { $0.contains("bake") } ?? "" }
        #expect(line().contains("global→ Oven"), "\(line())")
        trace.suspend(task, .executor)
        trace.start(task, .slice, on: global)
        #expect(!line().contains("global→ global") && line().contains("global"), "\(line())")
    }

    @Test(arguments: [80, 160]) func rowsOfOtherChainsTakeNoRoomInTheDetail(columns: Int) {
        var trace = TraceBuilder()
        let pool = trace.executor("pool", .pool)
        let top = trace.root("top", on: pool)
        let hub = trace.continuation("hub", of: top, on: pool)
        trace.enqueue(hub)
        trace.start(hub)
        let roots = (0..<9).map { trace.root("root \($0)", on: pool) }
        let joins = roots.map { trace.join(of: [$0] + roots) }
        trace.wait(hub, forInner: trace.join(of: joins))
        var session = Session(trace, columns: columns, rows: 40)
        session.press(.character("2"), .home, .enter)
        #expect((session.model.detail?.lanes ?? 0) <= 3)
        #expect(column(of: "top   ", in: session) == 9)
    }

    @Test("Beside the rails stands the selected task, and without a selection the lowest one in sight; Enter opens the same")
    func beside() {
        var session = Session(SampleTraces.kinesis, columns: 200, rows: 40, screen: GraphScreen.name)
        let last = session.model.graph.rails.rows.last?.task
        #expect(last != nil && session.model.beside?.task == last)
        session.press(.enter)
        #expect(session.model.detail?.task == last)
        session.press(.escape, .home)
        #expect(session.model.beside?.task == session.model.shared.selection && session.model.beside?.task != last)
    }
}
