import Testing

@testable import RemoteTasks

/// Snapshots with very many tasks of one kind: the work grows with their number.
@Suite(.timeLimit(.minutes(1)))
struct LongListTests {
    private static let count = 100_000
    private static func address(_ index: Int) -> UInt64 { 0x10000 + UInt64(index) * 256 }

    private static func json(_ snapshot: Snapshot) -> String {
        var text = ""
        SnapshotReport(snapshot, program: "program", route: .snapshot, symbols: SnapshotSymbols(of: snapshot, symbols: [:]))
            .writeJSON(to: &text)
        return text
    }

    @Test("The callers of one actor have their places in its queue")
    func placesCallers() {
        var actor = RemoteActor(address: 0x1000, type: "main.Busy", state: .running)
        actor.queue = (0..<Self.count).map(Self.address)
        let tasks = (0..<Self.count).map { index in
            var task = RemoteTask(id: UInt64(index + 1), address: Self.address(index))
            (task.state, task.wait) = (.queued, .executor(identity: 0x1000, implementation: 0))
            return task
        }
        let snapshot = Snapshot(pid: 1, tasks: tasks, actors: [actor])
        let symbols = SnapshotSymbols(of: snapshot, symbols: [:])
        #expect(snapshot.order.steps == Self.count)
        #expect(tasks.indices.allSatisfy { SnapshotWait(of: tasks[$0], in: snapshot, symbols)?.position == $0 + 1 })
        #expect(Self.json(snapshot).contains("\"position\":100000"))
    }

    @Test("Deeply nested children have the outermost task as their root, and a circle ends")
    func findsRoots() {
        var tasks = (0..<Self.count).map { index in
            var task = RemoteTask(id: UInt64(index + 1), address: Self.address(index))
            if index > 0 { (task.parent, task.kind) = (Self.address(index - 1), .asyncLet) }
            (task.state, task.wait) = (.suspended, .task(Self.address(index + 1)))
            return task
        }
        for order in [tasks, tasks.reversed()] {
            let snapshot = Snapshot(pid: 1, tasks: order)
            #expect(snapshot.order.steps <= Self.count && order.allSatisfy { snapshot.root(of: $0).id == 1 })
        }
        let chains = SnapshotChain.all(
            in: Snapshot(pid: 1, tasks: tasks), SnapshotSymbols(of: Snapshot(pid: 1, tasks: []), symbols: [:]))
        #expect(chains.count == 1 && chains.first?.tasks.count == Self.count)

        tasks[0].parent = Self.address(Self.count - 1)
        tasks[Self.count - 1].wait = .task(Self.address(0))
        let circle = Snapshot(pid: 1, tasks: tasks)
        #expect(circle.order.steps <= Self.count && Set(tasks.map { circle.root(of: $0).id }).count == 1)
        let circles = SnapshotChain.all(in: circle, SnapshotSymbols(of: circle, symbols: [:]))
        #expect(circles.count == 1 && circles.first?.tasks.count == Self.count)
    }

    @Test("A tree shows every task once, however deep it is, and the tasks of a circle")
    func showsAll() {
        func shown(_ tasks: [RemoteTask]) -> [UInt64] {
            let snapshot = Snapshot(pid: 1, tasks: tasks)
            var (open, shown) = (SnapshotTree(snapshot, SnapshotSymbols(of: snapshot)).roots, [UInt64]())
            while let node = open.popLast() {
                shown += ([node.task] + node.alike).map(\.id)
                open += node.children
            }
            return shown.sorted()
        }
        var tasks = (0..<2500).map { index in
            var task = RemoteTask(id: UInt64(index + 1), address: Self.address(index))
            if index > 0 { (task.parent, task.kind) = (Self.address(index - 1), .asyncLet) }
            return task
        }
        #expect(shown(tasks) == tasks.map(\.id))
        tasks[0].parent = Self.address(20)
        #expect(shown(tasks) == tasks.map(\.id))
    }
}
