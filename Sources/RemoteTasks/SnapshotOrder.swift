/// The outermost ancestor of each child task of a snapshot, and the place of each job in its actor's queue. Each takes one pass over the tasks
/// and the queues, however deep the children are nested and however long the queues are.
struct SnapshotOrder: Sendable {
    private struct Key: Hashable {
        let actor: UInt64
        let job: UInt64
    }

    private var roots: [UInt64: Int] = [:]
    private var positions: [Key: Int] = [:]
    /// The number of parents and jobs looked at.
    private(set) var steps = 0

    /// `indices` are the places in `tasks` by address.
    init(_ tasks: [RemoteTask], _ indices: [UInt64: Int], _ actors: [RemoteActor]) {
        for index in tasks.indices where tasks[index].parent != 0 { findRoot(of: index, tasks, indices) }
        for actor in actors {
            for (index, job) in actor.queue.enumerated() {
                steps += 1
                let key = Key(actor: actor.address, job: job)
                if positions[key] == nil { positions[key] = index + 1 }
            }
        }
    }

    /// Finds the outermost ancestor of a task and of all tasks on the way there. Memory that is read while it changes can show a circle, and
    /// its tasks get the first one as their root.
    private mutating func findRoot(of index: Int, _ tasks: [RemoteTask], _ indices: [UInt64: Int]) {
        var path: [Int] = []
        var next = index
        var root = index
        while true {
            if let known = roots[tasks[next].address] {
                root = known
                break
            }
            steps += 1
            // The entry also ends a circle.
            roots[tasks[next].address] = index
            path.append(next)
            guard tasks[next].parent != 0, let parent = indices[tasks[next].parent] else {
                root = next
                break
            }
            next = parent
        }
        for task in path { roots[tasks[task].address] = root }
    }

    /// The place in the list of tasks of a child's outermost ancestor. Nil for a task that is no child.
    func root(of task: UInt64) -> Int? { roots[task] }

    /// The place of a job in an actor's queue. The next job has place 1.
    func position(of job: UInt64, inQueueOf actor: UInt64) -> Int? { positions[Key(actor: actor, job: job)] }
}
