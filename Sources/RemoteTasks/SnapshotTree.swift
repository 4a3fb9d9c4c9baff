/// The tasks of a snapshot as a tree. A child task stands below its parent, which waits for it before it ends.
///
/// Similar siblings form one node, because a server may have 100,000 connections that all do the same.
struct SnapshotTree {
    struct Node {
        let task: RemoteTask
        /// Further tasks that differ from `task` only by their numbers.
        var alike: [RemoteTask] = []
        var children: [Node] = []
    }

    let roots: [Node]

    /// Up to this many similar siblings are shown one by one.
    private static let mostAlike = 3

    /// - Parameter symbols: Tells the tasks that sleep, each of which a task of the runtime's own will wake.
    init(_ snapshot: Snapshot, _ symbols: SnapshotSymbols) {
        var children: [UInt64: [RemoteTask]] = [:]
        for task in snapshot.tasks where task.parent != 0 { children[task.parent, default: []].append(task) }
        var reached: Set<UInt64> = []
        var roots = Self.nodes(
            snapshot.tasks.filter { $0.parent == 0 || snapshot.task(at: $0.parent) == nil }, children, snapshot, symbols, &reached,
            depth: 0)
        // Tasks below too many others, and those of a circle, which memory that is read while it changes could show.
        for task in snapshot.tasks where !reached.contains(task.address) {
            roots += Self.nodes([task], children, snapshot, symbols, &reached, depth: 0)
        }
        self.roots = roots
    }

    /// A task that is deeper than this is shown as a root.
    private static let mostDepth = 1000

    private static func nodes(
        _ tasks: [RemoteTask], _ children: [UInt64: [RemoteTask]], _ snapshot: Snapshot, _ symbols: SnapshotSymbols,
        _ reached: inout Set<UInt64>, depth: Int
    ) -> [Node] {
        guard depth < mostDepth else { return [] }
        let tasks = tasks.filter { reached.insert($0.address).inserted }
        let likenesses = tasks.map { children[$0.address] == nil ? Likeness($0, snapshot, symbols) : nil }
        var counts: [Likeness: Int] = [:]
        for case let likeness? in likenesses { counts[likeness, default: 0] += 1 }
        var nodes: [Node] = []
        var indices: [Likeness: Int] = [:]
        for (task, likeness) in zip(tasks, likenesses) {
            if let likeness, counts[likeness, default: 0] > mostAlike {
                if let index = indices[likeness] {
                    nodes[index].alike.append(task)
                    continue
                }
                indices[likeness] = nodes.count
            }
            let below = Self.nodes(children[task.address] ?? [], children, snapshot, symbols, &reached, depth: depth + 1)
            nodes.append(Node(task: task, children: below))
        }
        return nodes
    }

    /// The properties that similar tasks share.
    private struct Likeness: Hashable {
        let name: String
        let kind: RemoteTask.Kind
        let state: RemoteTask.State
        let isCancelled: Bool
        let wait: RemoteTask.Wait?
        let frames: [UInt64]
        let holder: ContinuationHolder?
        let descriptor: WaitedDescriptor.State?

        init(_ task: RemoteTask, _ snapshot: Snapshot, _ symbols: SnapshotSymbols) {
            holder = symbols.isSleeping(task) ? nil : snapshot.holders[task.address]
            descriptor = snapshot.descriptors[task.address]?.state
            name = task.name.filter { !$0.isNumber }
            (kind, state, isCancelled, wait, frames) = (task.kind, task.state, task.isCancelled, task.wait, task.frames)
        }
    }
}
