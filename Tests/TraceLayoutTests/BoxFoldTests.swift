import TaskEvents
import Testing

@testable import TraceLayout

/// Equal tasks share a box, and the lines of a join arrive as one.
@Suite struct BoxFoldTests {
    /// The edges between the groups are those between their tasks, and every task of a group has them.
    @Test(arguments: 1...200 as ClosedRange<UInt64>) func aFoldStatesOnlyLinksThatEachOfItsTasksHas(seed: UInt64) {
        var graph = RandomGraph(seed: seed, count: 20)
        let parents = graph.tasks
        // Crowds of equal tasks, so that there is something to fold.
        for parent in parents.prefix(4) { for _ in 0..<Int(3 + seed % 7) { _ = graph.addContinuation(of: parent) } }
        let groups = BoxFolds.groups(of: graph.tasks, in: graph) { parents.contains($0) ? nil : 0 }
        #expect(groups.isEmpty == (3 + seed % 7 < 5), "seed \(seed)")
        #expect(groups.allSatisfy { $0.count >= RailFolds.leastCount })
        var representative = Dictionary(uniqueKeysWithValues: graph.tasks.map { ($0, $0) })
        for group in groups { for task in group { representative[task] = group[0] } }
        struct Link: Hashable {
            var kind: RailKind
            var from: TaskID
            var to: TaskID
        }
        var links: [TaskID: [Link]] = [:]
        for task in graph.tasks {
            graph.forEachSuccessor(of: task) { successor, kind in
                let link = Link(kind: kind, from: representative[task]!, to: representative[successor]!)
                links[task, default: []].append(link)
                links[successor, default: []].append(link)
            }
        }
        for group in groups {
            let sets = group.map { Set(links[$0] ?? []) }
            #expect(Set(sets).count == 1, "seed \(seed)")
        }
        let boxes = Boxes(graph.tasks, in: graph, folds: groups)
        #expect(boxes.boxes.flatMap(\.members).sorted() == graph.tasks.sorted())
        #expect(Set(boxes.wires.map(\.edge)).count == boxes.wires.count)
        let expected = Set(links.values.joined().filter { $0.from != $0.to })
        #expect(Set(boxes.wires.map { Link(kind: $0.edge.kind, from: $0.edge.from, to: $0.edge.to) }) == expected, "seed \(seed)")
    }

    @Test func parallelCallsAndTheirContinuationsAreTwoBoxesAndAJoin() {
        var graph = RandomGraph()
        let calls = (0..<101).map { _ in graph.addRoot() }
        let results = calls.map { graph.addContinuation(of: $0) }
        let join = graph.addJoin(of: results)
        let groups = BoxFolds.groups(of: graph.tasks, in: graph) { $0 == join ? nil : calls.contains($0) ? 1 : 2 }
        #expect(groups.map(Set.init) == [Set(calls), Set(results)])
        let boxes = Boxes(graph.tasks, in: graph, folds: groups)
        #expect(boxes.boxes.map(\.members.count) == [101, 101, 1])
        #expect(boxes.wires.map { [$0.left, $0.right] } == [[0, 1], [1, 2]])
    }

    @Test func aTaskWithAnotherFateIsNotFolded() {
        var graph = RandomGraph()
        let calls = (0..<20).map { _ in graph.addRoot() }
        _ = graph.addJoin(of: calls)
        let groups = BoxFolds.groups(of: graph.tasks, in: graph) { $0 == calls[7] || !calls.contains($0) ? nil : 1 }
        #expect(groups == [calls.filter { $0 != calls[7] }])
    }

    @Test func fourAreNotAFoldAndAChainIsNone() {
        var graph = RandomGraph()
        let calls = (0..<4).map { _ in graph.addRoot() }
        _ = graph.addJoin(of: calls)
        var last = graph.addRoot()
        for _ in 0..<300 { last = graph.addContinuation(of: last) }
        #expect(BoxFolds.groups(of: graph.tasks, in: graph) { _ in 1 }.isEmpty)
    }

    @Test func theLinesOfAJoinArriveAsOne() {
        var graph = RandomGraph()
        let inputs = (0..<30).map { _ in graph.addRoot() }
        let join = graph.addJoin(of: inputs)
        let boxes = Boxes(graph.tasks, in: graph)
        #expect(boxes.boxes.last?.task == join && boxes.boxes.last?.rows == 4)
        #expect(Set(boxes.wires.map(\.net)).count == 1)
        #expect(Set(boxes.wires.compactMap { $0.corners.last?.row }).count == 1)
        // The trunk is one column.
        #expect(Set(boxes.wires.compactMap { $0.corners.dropFirst().first?.column }).count == 1)
    }
}
