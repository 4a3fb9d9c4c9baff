import TaskEvents
import Testing
import TraceTestKit

@testable import TraceLayout

/// The rails show exactly the graph's edges; each rail connects the two ends of its edge.
@Suite struct RailsEdgesTests {
    @Test func railEdges() throws {
        try Fuzz.run("rails: edges", cases: 200) { seed, _ in
            let graph = RandomGraph(seed: seed, count: 10 + Int(seed % 90))
            let rows = Rails(of: graph).rows(of: graph)
            #expect(Set(rows.map(\.task)) == Set(graph.tasks), "seed \(seed)")
            #expect(rows.edgesWithoutLanes == graph.links, "seed \(seed)")
        }
    }

    @Test(arguments: [64, 24, 4, 1])
    func everyEdgeWithALaneIsALineBetweenItsTasks(laneLimit: Int) throws {
        try Fuzz.run("rails: lines", cases: 60) { seed, _ in
            let graph = RandomGraph(seed: seed, count: 60)
            let rails = Rails(of: graph, laneLimit: laneLimit)
            let rows = rails.rows(of: graph)
            for edge in rows.flatMap(\.edges) where edge.lane != nil {
                let ends = try [edge.from, edge.to].map { try #require(rails.row(of: $0)) }
                expectLine(rows, between: ends.min()!, and: ends.max()!, of: edge, "seed \(seed), \(edge)")
            }
        }
    }

    @Test func railsContinueFromRowToRow() throws {
        try Fuzz.run("rails: rows", cases: 60) { seed, _ in
            let graph = RandomGraph(seed: seed, count: 80)
            let rows = Rails(of: graph, laneLimit: 5).rows(of: graph)
            let broken = zip(rows, rows.dropFirst()).first { $0.below != $1.above }
            #expect(broken == nil, "seed \(seed), below \(broken?.0.task ?? TaskID.none)")
            #expect(rows.first?.above.contains { $0 != nil } == false)
            #expect(rows.last?.below.contains { $0 != nil } == false)
            #expect(rows.allSatisfy { $0.width <= 5 })
        }
    }

    @Test func withEnoughLanesEveryEdgeHasARail() throws {
        try Fuzz.run("rails: lanes", cases: 60) { seed, _ in
            let graph = RandomGraph(seed: seed, count: 60)
            #expect(Rails(of: graph, laneLimit: 64).rows(of: graph).allSatisfy { $0.edgesWithoutLane == 0 }, "seed \(seed)")
        }
    }

    /// Follows the edge's rail through all rows between its ends.
    private func expectLine(_ rows: [RailsRow], between top: Int, and bottom: Int, of edge: RailEdge, _ comment: Comment) {
        let rail = Rail(kind: edge.kind, hub: edge.kind == .continues ? edge.from : edge.to)
        #expect(rows[top].below.contains(rail), comment)
        let between = rows[top + 1..<max(top + 1, bottom)]
        #expect(between.allSatisfy { $0.above.contains(rail) && $0.below.contains(rail) }, comment)
        #expect(rows[bottom].above.contains(rail), comment)
        for end in [top, bottom] {
            let isTied = rows[end].ties.contains { $0.rail == rail }
            let isTrunk = end == top && edge.kind == .continues && rows[end].lane.map { rows[end].below[$0] } == rail
            #expect(isTied || isTrunk, comment)
        }
    }
}

extension Rails {
    /// The rails of a whole graph, its tasks taken in the order given.
    init(of graph: RandomGraph, in order: [TaskID]? = nil, laneLimit: Int = 24) {
        self.init(laneLimit: laneLimit)
        for task in order ?? graph.tasks { update(task, in: graph) }
        readJoins(in: graph)
        settle(throughRow: count - 1, in: graph)
    }

    func rows(of graph: RandomGraph) -> [RailsRow] { window(0..<count, in: graph) }
}

extension [RailsRow] {
    var edgesWithoutLanes: Set<RailEdge> {
        Set(flatMap(\.edges).map { RailEdge(from: $0.from, to: $0.to, kind: $0.kind, lane: nil) })
    }
}
