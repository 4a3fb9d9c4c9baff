import TaskEvents
import Testing
import TraceStore
import TraceTestKit

@testable import TraceLayout

/// The work for a graph is proportional to the number of its tasks and links, whatever its shape.
@Suite struct RailsWorkTests {
    /// A shape in which `count` tasks crowd around one.
    enum Shape: CaseIterable {
        case continuations, awaitedContinuations, awaitedChains, inputs, chain
    }

    @Test("Twice as many tasks are at most twice the work", arguments: Shape.allCases)
    func isLinear(_ shape: Shape) {
        let half = work(shape, 2_000)
        let whole = work(shape, 4_000)
        #expect(whole.drawing < half.drawing * 9 / 4, "\(half.drawing) links visited for 2,000 tasks, \(whole.drawing) for 4,000")
        #expect(whole.placing < half.placing * 9 / 4, "\(half.placing) links visited for 2,000 tasks, \(whole.placing) for 4,000")
        #expect(whole.placing < 4_000 * 20)
    }

    @Test("Twenty thousand awaited children take bounded work in any order of arrival", arguments: [false, true])
    func manyChildren(isReversed: Bool) {
        let graph = CrowdedGraph(.awaitedContinuations, count: 20_000)
        var rails = Rails()
        rails.update(graph.hub, in: graph)
        graph.visits = 0
        for task in isReversed ? graph.others.reversed() : graph.others {
            rails.update(RailChange(task: task), in: graph)
            rails.update(RailChange(task: graph.hub, antecedent: task, isAwait: graph.isAwait), in: graph)
        }
        rails.numberRows()
        #expect(rails.count == 20_001)
        #expect(rails.task(atRow: 0) == graph.hub)
        #expect(rails.row(of: graph.others[0]) == 1)
        #expect(rails.row(of: graph.others[19_999]) == 20_000)
        #expect(graph.visits < 20_000 * 20)
    }

    @Test("Laying out a join's rail visits no more links for many inputs than for few")
    func manyInputs() {
        func visits(_ count: Int) -> Int {
            let graph = CrowdedGraph(.inputs, count: count)
            var rails = Rails()
            for task in [graph.hub] + graph.others { rails.update(RailChange(task: task), in: graph) }
            rails.readJoins(in: graph)
            rails.settle(throughRow: .max, in: graph)
            graph.visits = 0
            rails.update(RailChange(task: graph.hub, antecedent: graph.others[count - 1]), in: graph)
            rails.readJoins(in: graph)
            rails.settle(throughRow: 50, in: graph)
            return graph.visits
        }
        let few = visits(1_000)
        #expect(few > 0 && visits(8_000) <= few + 64)
    }

    @Test("A parent's row is requested once, however many children arrive before it is placed")
    func announcesOnce() {
        var trace = TraceBuilder()
        let parent = trace.create(.unstructured, "parent")
        for _ in 0..<1_000 {
            let child = trace.create(.unstructured, "child", of: [parent])
            trace.suspend(parent, .task, awaiting: child)
            trace.resume(parent)
        }
        let store = trace.store()
        var rails = Rails()
        var changes: [RailChange] = []
        rails.noteChanges(after: trace.events, in: store, into: &changes)
        #expect(changes.count == 1_001)
        for change in changes { rails.update(change, in: store) }
        rails.readJoins(in: store)
        rails.settle(throughRow: .max, in: store)
        #expect(rails.count == 1_001)
        changes = []
        rails.noteChanges(after: trace.events.filter { $0.kind != .created }, in: store, into: &changes)
        #expect(changes.allSatisfy { $0.task == parent && $0.antecedent != .none && $0.isAwait })
    }

    @Test("Sorted tasks behave like a sorted array, in short runs")
    func sortedTasks() {
        var random = SplitMix(state: 5)
        var sorted = SortedTasks()
        var expected: [TaskID] = []
        for id in (1...3_000 as ClosedRange<UInt64>).shuffled(using: &random) {
            sorted.insert(TaskID(rawValue: id))
            sorted.insert(TaskID(rawValue: id))
            expected.append(TaskID(rawValue: id))
        }
        expected.sort()
        for id in stride(from: 1, to: 3_000, by: 3) as StrideTo<UInt64> {
            sorted.remove(TaskID(rawValue: id))
            expected.removeAll { $0.rawValue == id }
        }
        var all: [TaskID] = []
        sorted.visitAll { all.append($0) }
        #expect(all == expected)
        #expect(sorted.last == expected.last)
        for id in 1...3_001 as ClosedRange<UInt64> {
            let task = TaskID(rawValue: id)
            #expect(sorted.last(before: task) == expected.last { $0 < task })
        }
    }

    /// The links visited while the tasks arrive in ten portions and the rails are followed after each.
    private func work(_ shape: Shape, _ count: Int) -> (placing: Int, drawing: Int) {
        let graph = CrowdedGraph(shape, count: count)
        var rails = Rails()
        var placing = 0
        rails.update(graph.hub, in: graph)
        for portion in 0..<10 {
            let before = graph.visits
            for task in graph.others[portion * count / 10..<(portion + 1) * count / 10] {
                rails.update(RailChange(task: task), in: graph)
                rails.update(RailChange(task: graph.hub, antecedent: task, isAwait: graph.isAwait), in: graph)
            }
            placing += graph.visits - before
            rails.readJoins(in: graph)
            rails.settle(throughRow: .max, in: graph)
        }
        return (placing, graph.visits - placing)
    }
}

/// A hub and its neighbours, which counts the links that are asked for.
private final class CrowdedGraph: RailGraph {
    let hub = TaskID(rawValue: 2)
    let others: [TaskID]
    private let shape: RailsWorkTests.Shape
    /// The number of questions and links so far.
    var visits = 0

    init(_ shape: RailsWorkTests.Shape, count: Int) {
        self.shape = shape
        others = (0..<UInt64(count)).map { TaskID(rawValue: 3 + $0) }
    }

    private func isOther(_ task: TaskID) -> Bool { task > hub && task <= others[others.count - 1] }
    private var isContinued: Bool { shape == .continuations || shape == .awaitedContinuations }
    var isAwait: Bool { shape == .awaitedContinuations || shape == .awaitedChains }
    /// The latest neighbours, as the store keeps them.
    private var awaited: ArraySlice<TaskID> { isAwait ? others.suffix(1024) : [] }

    func hasTask(_ task: TaskID) -> Bool {
        visits += 1
        return task == hub || isOther(task)
    }

    func continued(by task: TaskID) -> TaskID? {
        visits += 1
        guard isOther(task) else { return nil }
        if shape == .chain { return TaskID(rawValue: task.rawValue - 1) }
        return isContinued ? hub : nil
    }

    func chain(of task: TaskID) -> TaskID {
        visits += 1
        return isContinued || shape == .chain ? hub : task
    }

    func isJoin(_ task: TaskID) -> Bool {
        task == hub && shape == .inputs
    }

    func forEachInput(of task: TaskID, _ body: (TaskID) -> Void) {
        guard isJoin(task) else { return }
        for other in others { visit(other, body) }
    }

    func forEachAwaited(by task: TaskID, _ body: (TaskID) -> Void) {
        guard task == hub else { return }
        for other in awaited { visit(other, body) }
    }

    func inner(of task: TaskID) -> TaskID? { nil }
    func hasSucceeded(_ task: TaskID) -> Bool { true }

    func forEachSuccessor(of task: TaskID, _ body: (TaskID, RailKind) -> Void) {
        if task == hub {
            guard isContinued else { return }
            for other in others { visit(other) { body($0, .continues) } }
        } else if isOther(task) {
            if shape == .chain, task != others.last { visit(TaskID(rawValue: task.rawValue + 1)) { body($0, .continues) } }
            if isJoin(hub) { visit(hub) { body($0, .input) } }
            if isAwait { visit(hub) { body($0, .awaited) } }
        }
    }

    private func visit(_ task: TaskID, _ body: (TaskID) -> Void) {
        visits += 1
        body(task)
    }
}
