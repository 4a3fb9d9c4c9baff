import TaskEvents
import Testing
import TraceLayout

/// The shapes of small graphs: `●` a task, lines between tasks as drawn.
@Suite struct RailsShapeTests {
    private func expect(_ graph: RandomGraph, laneLimit: Int = 24, _ expected: String) {
        #expect(Rails(of: graph, laneLimit: laneLimit).rows(of: graph).map(\.sketch).joined(separator: "\n") == expected)
    }

    @Test func aChainIsOneLane() {
        var graph = RandomGraph()
        graph.addContinuation(of: graph.addContinuation(of: graph.addRoot()))
        expect(graph, "1 ●\n2 ●\n3 ●")
    }

    @Test func aForkHasATrunkAndBranches() {
        var graph = RandomGraph()
        let root = graph.addRoot()
        graph.addContinuation(of: graph.addContinuation(of: root))
        graph.addContinuation(of: root)
        graph.addContinuation(of: graph.addContinuation(of: root))
        expect(
            graph,
            """
            1 ●─╮
            2 │ ●
            3 │ ●
            4 ├─●
            5 ●
            6 ●
            """)
    }

    @Test func inputsMeetInAJoin() {
        var graph = RandomGraph()
        let chains = (0..<3).map { _ in graph.addContinuation(of: graph.addRoot()) }
        graph.addContinuation(of: graph.addJoin(of: chains))
        expect(
            graph,
            """
            1 ●
            2 ●─╮
            3 ● │
            4 ●─┤
            5 ● │
            6 ●─┤
            7   ●
            8   ●
            """)
    }

    @Test func anInnerChainIsBelowItsBody() {
        var graph = RandomGraph()
        let outer = graph.addRoot()
        graph.addContinuation(of: outer)
        let inner = graph.addContinuation(of: graph.addRoot())
        graph.setInner(inner, of: outer)
        expect(
            graph,
            """
            1 ●─╮
            3 │ │ ●
            4 │ ╰─●
            2 ●
            """)
    }

    @Test func aJoinMadeInABodyBringsItsInputs() {
        var graph = RandomGraph()
        let outer = graph.addRoot()
        graph.addContinuation(of: outer)
        graph.addRoot()
        let inputs = [graph.addRoot(), graph.addRoot()]
        graph.setInner(graph.addJoin(of: inputs), of: outer)
        expect(
            graph,
            """
            1 ●─╮
            4 │ │ ●─╮
            5 │ │ ●─┤
            6 │ ╰───●
            2 ●
            3 ●
            """)
    }

    @Test func aTaskWithoutALaneIsMarked() {
        var graph = RandomGraph()
        let roots = (0..<3).map { _ in graph.addRoot() }
        for root in roots { graph.addJoin(of: [root]) }
        expect(
            graph, laneLimit: 2,
            """
            1 ●─╮
            2 ● │ +1
            3 ● │ +1
            4   ●
            5 ●
            6 ●
            """)
    }

    @Test func aTaskThatWaitsForItselfHasNoLine() {
        var graph = RandomGraph()
        let root = graph.addRoot()
        graph.setInner(root, of: root)
        expect(graph, "1 ●")
        #expect(Rails(of: graph).rows(of: graph).edgesWithoutLanes == graph.links)
    }

    @Test func aGateWithThousandsOfInputsTakesTwoLanes() {
        var graph = RandomGraph()
        let gate = graph.addRoot()
        for _ in 0..<3000 { graph.addContinuation(of: gate) }
        #expect(Rails(of: graph).rows(of: graph).map(\.width).max() == 2)
    }
}

extension RailsRow {
    /// The row as characters, with a lane every two columns.
    fileprivate var sketch: String {
        var cells = [Character](repeating: " ", count: 2 * max(above.count, below.count, (lane ?? 0) + 1))
        func rail(_ rails: [Rail?], _ lane: Int) -> Bool { lane < rails.count && rails[lane] != nil }
        for at in 0..<max(above.count, below.count) where rail(above, at) || rail(below, at) { cells[2 * at] = "│" }
        if let lane {
            for tie in ties where tie.lane != lane {
                for column in min(lane, tie.lane) * 2 + 1..<max(lane, tie.lane) * 2 where cells[column] == " " { cells[column] = "─" }
                let fromLeft = tie.lane > lane
                cells[2 * tie.lane] =
                    switch (rail(above, tie.lane), rail(below, tie.lane)) {
                    case (true, true): fromLeft ? "┤" : "├"
                    case (true, false): fromLeft ? "╯" : "╰"
                    default: fromLeft ? "╮" : "╭"
                    }
            }
            cells[2 * lane] = "●"
        }
        while cells.last == " " { cells.removeLast() }
        return "\(task.rawValue) " + String(cells) + (edgesWithoutLane > 0 ? " +\(edgesWithoutLane)" : "")
    }
}
