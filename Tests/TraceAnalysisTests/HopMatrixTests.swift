import TaskEvents
import Testing
import TraceAnalysis
import TraceStore
import TraceTestKit

/// Hops counted by their executors, a portion at a time.
@Suite struct HopMatrixTests {
    private func matrix(_ store: TraceStore, portion: Int) -> HopMatrix {
        var pass = HopPass(store)
        while true {
            if let matrix = pass.advance(store, portion: portion) { return matrix }
        }
    }

    @Test(arguments: [1, 7, 100_000]) func everyHopIsCountedOnce(portion: Int) {
        let store = RandomTrace(seed: 11, tasks: 400).trace.store()
        let analysis = HopAnalysis(store)
        let routes = analysis.routes(of: analysis.hops())
        let matrix = matrix(store, portion: portion)
        #expect(routes.reduce(0) { $0 + $1.count } > 50, "a trace without hops shows nothing")
        #expect(matrix.count == routes.reduce(0) { $0 + $1.count })
        #expect(matrix.cells.count == routes.count)
        for route in routes {
            let cell = matrix.cells[HopEnds(from: route.from, to: route.to)]
            #expect(cell?.count == route.count)
            #expect(cell?.waits.count == route.waits.count)
            #expect(cell?.waits.max == route.waits.longest)
            for (percentile, percent) in [(cell?.p50, 50), (cell?.p99, 99)] {
                let exact = Double(route.waits.value(at: percent) ?? 0)
                #expect(abs(Double(percentile ?? 0) - exact) <= exact / 1000)
            }
            #expect(cell.map { Set($0.hops.map { hop in hop.hop }) } == Set(route.hops.map { hop in hop.hop }))
            for hopClass in HopClass.allCases { #expect(cell?.count(of: hopClass) == route.count(of: hopClass)) }
        }
    }

    @Test("The classes of a task's hops are those of each hop", arguments: [1, 2, 3, 11] as [UInt64])
    func classes(seed: UInt64) {
        let store = RandomTrace(seed: seed, tasks: 400).trace.store()
        let analysis = HopAnalysis(store)
        for row in store.rows { #expect(analysis.hopClasses(of: store[row]) == store[row].hops.map { analysis.hopClass(of: $0) }) }
    }

    @Test func aCellKeepsTheLatestHops() {
        var trace = TraceBuilder()
        let main = trace.executor("main", .main)
        let net = trace.executor("net", .pool)
        for _ in 0..<3 * HopCell.hopLimit {
            let task = trace.root("task", on: main)
            trace.hop(task, from: net)
        }
        let cell = matrix(trace.store(), portion: 5000).cells[HopEnds(from: net, to: main)]
        #expect(cell?.count == 3 * HopCell.hopLimit)
        #expect(cell?.hops.last?.hop.task.rawValue == UInt64(3 * HopCell.hopLimit))
        #expect(cell.map { $0.hops.count >= HopCell.hopLimit && $0.hops.count < 2 * HopCell.hopLimit } == true)
    }

    @Test func mainComesFirstAndNoExecutorLast() {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        let main = trace.executor("main", .main)
        for (from, to) in [(ExecutorID.none, net), (net, main), (main, net)] {
            let task = trace.root("task", on: to)
            trace.hop(task, from: from)
        }
        let store = trace.store()
        let matrix = matrix(store, portion: 10)
        #expect(matrix.sources(in: store) == [main, net, .none])
        #expect(matrix.targets(in: store) == [main, net])
    }

    @Test func aChainsHopsAreInOrder() throws {
        var trace = TraceBuilder()
        let net = trace.executor("net", .pool)
        let main = trace.executor("main", .main)
        let load = trace.root("load", on: net)
        trace.run(load, milliseconds: 1)
        var last = load
        for (from, to) in [(net, main), (main, net), (net, net), (net, main)] {
            let next = trace.continuation("next", of: last, on: to)
            trace.hop(next, from: from)
            trace.run(next, after: 1, milliseconds: 1)
            last = next
        }
        let store = trace.store()
        let way = try #require(ChainAnalysis(store).way(of: last))
        #expect(way.executors == [net, main, net, main])
        #expect(way.hopCount == 4)
        #expect(way.wait == 4_000_000)
    }
}
