import TaskEvents

/// The tasks that are evicted: a whole chain that has ended, or within a chain that goes on, one leaf.
///
/// The main task of a server lives as long as its program, and so does its chain, which has each structured child of each request. An ended
/// child that nothing follows from is a leaf; it is evicted alone. The tasks of other chains are evicted with their chain.
extension ChainTable {
    /// Records that a task has ended or can no longer end. Its chain may have ended with it.
    @inline(__always)
    mutating func retire(_ task: UnsafeMutablePointer<TaskRecord>, _ tasks: borrowing TaskTable) {
        task.pointee.flags.insert(.isRetired)
        order.endedCount += 1
        if task.pointee.flags.contains(.holdsAntecedents) { releaseHolds(of: task, tasks) }
        release(task.pointee.chain)
        if task.pointee.kind.isOfSwift { listLeaves(task, tasks) }
    }

    /// Whether more ended tasks are kept than the limit permits, or a chain is being evicted.
    @inline(__always)
    var mustEvict: Bool { order.endedCount > limit || order.firstCut >= 0 }

    /// Removes the next task to evict from the chains and returns its row. Its caller removes it from the other tables. Nil if no task can
    /// be evicted.
    mutating func nextToEvict(_ tasks: borrowing TaskTable) -> Int32? {
        let row: Int32
        if order.firstCut >= 0 {
            let link = links.records.reading(order.firstCut)
            row = link.pointee.to
            order.firstCut = link.pointee.nextOut
        } else if let leaf = takeLeaf(tasks) {
            order.endedCount -= 1
            return leaf
        } else {
            guard order.firstEnded >= 0 else { return nil }
            let chain = records.writing(order.firstEnded)
            unlist(chain)
            row = chain.pointee.first
        }
        let task = tasks.records.reading(row)
        cutSuccessors(of: task, tasks)
        if order.firstCut < 0 { remove(task.pointee.chain) }
        order.endedCount -= 1
        return row
    }

    /// Lists the successors of a task's own chain for eviction. Tasks of other chains keep the ids of their antecedents in it.
    @inline(__always)
    private mutating func cutSuccessors(of task: UnsafePointer<TaskRecord>, _ tasks: borrowing TaskTable) {
        let last = task.pointee.lastOut
        guard last >= 0 else { return }
        let chain = task.pointee.chain
        let first = records.reading(chain).pointee.first
        var link = links.firstOut(of: task)
        while link >= 0 {
            let record = links.records.writing(link)
            let next = link == last ? -1 : record.pointee.nextOut
            let row = record.pointee.to
            let successor = tasks.records.reading(row)
            let isOfChain = successor.pointee.chain == chain
            links.cut(record, from: task.pointee.id, staysSuccessor: !isOfChain)
            // A task belongs to the chain through its first link only, so the walk finds each task once.
            if isOfChain, row != first, links.firstIn(of: successor) == link {
                record.pointee.nextOut = order.firstCut
                order.firstCut = link
            }
            link = next
        }
    }

    /// Prefetches records that will be evicted soon. Tasks end roughly in the order of their ids, and records that were not used for a
    /// million tasks are in no cache. A task's record is fetched first; once it is there, the records it refers to are fetched.
    func fetchAhead(of id: UInt64, _ tasks: borrowing TaskTable) {
        if let row = tasks.row(of: id &+ 512) { prefetch(tasks.records.reading(row)) }
        guard let row = tasks.row(of: id &+ 256) else { return }
        let task = tasks.records.reading(row)
        if task.pointee.lastIn >= 0 { prefetch(links.records.reading(task.pointee.lastIn)) }
    }

    // MARK: Leaves

    /// Lists a task if it is an evictable leaf. A task is listed at most once for each of the events that can make it one.
    ///
    /// - Parameter isEarly: Whether the task ended long ago, and became a leaf because what followed from it was evicted.
    mutating func listLeaf(
        _ task: UnsafePointer<TaskRecord>, isEarly: Bool = false, _ tasks: borrowing TaskTable
    ) {
        guard limit < .max, isEvictableLeaf(task, tasks) else { return }
        let node = leaves.insert(LeafNode(task: task.pointee.id, next: isEarly ? order.firstLeaf : -1))
        if isEarly {
            order.firstLeaf = node
            if order.lastLeaf < 0 { order.lastLeaf = node }
            return
        }
        if order.lastLeaf >= 0 { leaves.writing(order.lastLeaf).pointee.next = node } else { order.firstLeaf = node }
        order.lastLeaf = node
    }

    /// Lists the leaves that a task's end makes evictable: the task itself, or its failed children.
    @inline(never)
    mutating func listLeaves(_ task: UnsafePointer<TaskRecord>, _ tasks: borrowing TaskTable) {
        guard limit < .max else { return }
        guard task.pointee.lastOut >= 0 else { return listLeaf(task, tasks) }
        var link = links.firstOut(of: task)
        while link >= 0 {
            let record = links.records.reading(link).pointee
            let child = tasks.records.reading(record.to)
            if child.pointee.state == .faulted { listLeaf(child, tasks) }
            link = link == task.pointee.lastOut ? -1 : record.nextOut
        }
    }

    // MARK: Links

    /// Removes the links of a task that is being evicted to its antecedents.
    mutating func unlink(_ task: UnsafeMutablePointer<TaskRecord>, _ tasks: inout TaskTable) {
        let last = task.pointee.lastIn
        var link = links.firstIn(of: task)
        while link >= 0 {
            let next = link == last ? -1 : links.records.reading(link).pointee.nextIn
            if let antecedent = links.remove(link, tasks) { loseSuccessor(antecedent, &tasks) }
            link = next
        }
    }

    private mutating func loseSuccessor(_ task: UnsafeMutablePointer<TaskRecord>, _ tasks: inout TaskTable) {
        if task.pointee.state == .faulted { tasks.extra(of: task).pointee.lacksSuccessor = true }
        if task.pointee.lastOut < 0, task.pointee.kind.isOfSwift { listLeaf(task, isEarly: true, tasks) }
    }

    /// Removes the earliest leaf from the list if it ended before the first task of the earliest ended chain. Nil if there is no such leaf.
    private mutating func takeLeaf(_ tasks: borrowing TaskTable) -> Int32? {
        while order.firstLeaf >= 0 {
            let leaf = leaves.reading(order.firstLeaf).pointee
            let row = tasks.row(of: leaf.task).flatMap { isEvictableLeaf(tasks.records.reading($0), tasks) ? $0 : nil }
            if let row, endsBefore(tasks.records.reading(row), tasks) { return nil }
            leaves.remove(order.firstLeaf)
            order.firstLeaf = leaf.next
            if order.firstLeaf < 0 { order.lastLeaf = -1 }
            if let row { return row }
        }
        return nil
    }

    /// Whether the earliest ended chain ended before a leaf.
    private func endsBefore(_ leaf: UnsafePointer<TaskRecord>, _ tasks: borrowing TaskTable) -> Bool {
        guard order.firstEnded >= 0 else { return false }
        let first = tasks.records.reading(records.reading(order.firstEnded).pointee.first)
        return tasks.time(.ended, of: first) ?? first.pointee.created < tasks.time(.ended, of: leaf) ?? leaf.pointee.created
    }

    /// Whether the task is an ended structured child from which no kept task follows. A failed task stays until its error has been read or
    /// can no longer be read.
    private func isEvictableLeaf(
        _ task: UnsafePointer<TaskRecord>, _ tasks: borrowing TaskTable
    ) -> Bool {
        guard task.pointee.flags.contains(.isRetired), task.pointee.lastOut < 0, task.pointee.kind.isOfSwift,
            task.pointee.kind.continuesAChain, task.pointee.lastIn >= 0,
            tasks.records.reading(records.reading(task.pointee.chain).pointee.first) != task
        else { return false }
        guard task.pointee.state == .faulted else { return true }
        if !task.pointee.flags.isDisjoint(with: [.isReleased, .isReadOutside]) { return true }
        if let extra = tasks.knownExtra(of: task), extra.pointee.lastReader >= 0 { return true }
        let parent = links.records.reading(links.firstIn(of: task)).pointee.from
        return parent < 0 || tasks.records.reading(parent).pointee.flags.contains(.isRetired)
    }
}
