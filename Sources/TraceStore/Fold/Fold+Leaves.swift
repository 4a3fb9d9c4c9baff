import TaskEvents

/// Eviction within chains that go on.
///
/// The main task of a server lives as long as its program, and so does its chain, which has each structured child of each request. An ended
/// child that nothing follows from is a leaf; it is evicted alone. The tasks of other chains are evicted with their chain.
extension Fold {
    /// A leaf in the list of leaves, which is about in the order of their ends.
    struct LeafNode: BitwiseCopyable {
        let task: UInt64
        var next: Int32 = -1
    }

    /// Lists a task if it is an evictable leaf. A task is listed at most once for each of the events that can make it one.
    ///
    /// - Parameter isEarly: Whether the task ended long ago, and became a leaf because what followed from it was evicted.
    mutating func noteLeaf(_ task: UnsafePointer<TaskRecord>, isEarly: Bool = false) {
        guard retention.endedTasks < .max, isEvictableLeaf(task) else { return }
        let node = leaves.insert(LeafNode(task: task.pointee.id, next: isEarly ? firstLeaf : -1))
        if isEarly {
            firstLeaf = node
            if lastLeaf < 0 { lastLeaf = node }
            return
        }
        if lastLeaf >= 0 { leaves.writing(lastLeaf).pointee.next = node } else { firstLeaf = node }
        lastLeaf = node
    }

    /// Lists the leaves that a task's end makes evictable: the task itself, or its failed children.
    @inline(never)
    mutating func noteLeaves(_ task: UnsafePointer<TaskRecord>) {
        guard retention.endedTasks < .max else { return }
        guard task.pointee.lastOut >= 0 else { return noteLeaf(task) }
        var failed: [Int32] = []
        forEachSuccessor(of: task) { _, row in
            if tasks.reading(row).pointee.state == .faulted { failed.append(row) }
        }
        for row in failed { noteLeaf(tasks.reading(row)) }
    }

    /// Evicts the earliest leaf if it ended before the first task of the earliest ended chain. False if there is no such leaf.
    mutating func evictLeaf() -> Bool {
        while firstLeaf >= 0 {
            let node = leaves.reading(firstLeaf).pointee
            if case .row(let row) = ids.place(of: node.task), isEvictableLeaf(tasks.reading(row)) {
                if isEarlier(chain: firstEnded, than: tasks.reading(row)) { return false }
                forgetFirstLeaf(node)
                free(row, tasks.writing(row))
                return true
            }
            forgetFirstLeaf(node)
        }
        return false
    }

    private mutating func forgetFirstLeaf(_ node: LeafNode) {
        leaves.remove(firstLeaf)
        firstLeaf = node.next
        if firstLeaf < 0 { lastLeaf = -1 }
    }

    private func isEarlier(chain: Int32, than leaf: UnsafePointer<TaskRecord>) -> Bool {
        chain >= 0 && end(of: tasks.reading(chains.reading(chain).pointee.first)) < end(of: leaf)
    }

    private func end(of task: UnsafePointer<TaskRecord>) -> UInt64 { time(.ended, of: task) ?? task.pointee.created }

    /// Whether the task is an ended structured child from which no kept task follows. A failed task stays until its error has been read or
    /// can no longer be read.
    private func isEvictableLeaf(_ task: UnsafePointer<TaskRecord>) -> Bool {
        guard task.pointee.marks.contains(.hasLeft), task.pointee.lastOut < 0, task.pointee.kind.isOfSwift,
            task.pointee.kind.continuesAChain, task.pointee.lastIn >= 0,
            tasks.reading(chains.reading(task.pointee.chain).pointee.first) != task
        else { return false }
        guard task.pointee.state == .faulted else { return true }
        if !task.pointee.marks.isDisjoint(with: [.isReleased, .isReadOutside]) { return true }
        if task.pointee.extra >= 0, extras.reading(task.pointee.extra).pointee.lastReader >= 0 { return true }
        let parent = links.reading(firstIn(of: task)).pointee.from
        return parent < 0 || tasks.reading(parent).pointee.marks.contains(.hasLeft)
    }
}
