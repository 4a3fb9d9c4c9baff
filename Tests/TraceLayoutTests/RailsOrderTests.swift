import TaskEvents
import Testing
import TraceLayout
import TraceTestKit

/// The order of rows does not depend on the order in which tasks arrive.
@Suite struct RailsOrderTests {
    @Test func theOrderOfArrivalDoesNotMatter() throws {
        try Fuzz.run("rails: order", cases: 80) { seed, _ in
            let graph = RandomGraph(seed: seed, count: 60)
            var random = SplitMix(state: seed)
            let expected = Rails(of: graph).rows(of: graph)
            let shuffled = Rails(of: graph, in: graph.tasks.shuffled(using: &random)).rows(of: graph)
            #expect(shuffled == expected, "seed \(seed)")
        }
    }

    @Test func aGrownGraphEqualsANewOne() {
        for seed in 1...4 as ClosedRange<UInt64> {
            let whole = RandomGraph(seed: seed, count: 700)
            var rails = Rails()
            var count = 0
            for size in stride(from: 100, through: 700, by: 100) {
                // The generator makes the same tasks in the same order, whatever their number.
                let graph = RandomGraph(seed: seed, count: size)
                for task in graph.tasks { rails.update(task, in: graph) }
                rails.readJoins(in: graph)
                rails.settle(throughRow: rails.count - 1, in: graph)
                #expect(rails.count >= count)
                count = rails.count
                #expect(rails.rows(of: graph) == Rails(of: graph).rows(of: graph), "seed \(seed), \(size) tasks")
            }
            #expect(rails.rows(of: whole).edgesWithoutLanes == whole.links)
        }
    }

    @Test func aWindowIsAPartOfTheWhole() {
        let graph = RandomGraph(seed: 7, count: 3000)
        let rails = Rails(of: graph)
        let rows = rails.rows(of: graph)
        for first in stride(from: 0, to: rows.count, by: 97) {
            let window = rails.window(first..<first + 40, in: graph)
            #expect(window == Array(rows[first..<min(rows.count, first + 40)]))
        }
        #expect(rails.window(-5..<3, in: graph).count == 3)
        #expect(rails.window(rows.count..<rows.count + 10, in: graph).isEmpty)
    }

    @Test func evictedTasksLeaveNoRow() {
        for seed in 1...100 as ClosedRange<UInt64> {
            var graph = RandomGraph(seed: seed, count: 300)
            var rails = Rails(of: graph)
            // The store evicts whole chains.
            let chains = Set(graph.tasks.prefix(40).map(graph.chain))
            for task in graph.tasks where chains.contains(graph.chain(of: task)) { graph.remove(task) }
            rails.sweep(rows: rails.count + 300, in: graph)
            rails.readJoins(in: graph)
            rails.settle(throughRow: .max, in: graph)
            let rows = rails.rows(of: graph)
            #expect(Set(rows.map(\.task)) == Set(graph.tasks), "seed \(seed)")
            #expect(rows.edgesWithoutLanes == graph.links, "seed \(seed)")
        }
    }

    @Test func aLimitedPassContinuesWhereItStopped() {
        let graph = RandomGraph(seed: 3, count: 5000)
        var rails = Rails()
        for task in graph.tasks { rails.update(task, in: graph) }
        var calls = 1
        rails.readJoins(in: graph)
        while !rails.settle(throughRow: rails.count - 1, runLimit: 2, in: graph) { calls += 1 }
        #expect(calls > 3)
        #expect(rails.rows(of: graph) == Rails(of: graph).rows(of: graph))
    }
}
