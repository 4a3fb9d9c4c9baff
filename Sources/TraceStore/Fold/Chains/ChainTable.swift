import TaskEvents

/// Chains: a root task with all tasks that continue from it, by the links between them; and the order in which ended tasks are evicted.
struct ChainTable: ~Copyable {
    private(set) var records: Pool<ChainRecord>
    /// The links of all tasks, also those between chains.
    var links: LinkTable
    /// The list of evictable leaves, which is about in the order of their ends.
    var leaves: Pool<LeafNode>
    /// The number of ended tasks from which on the earliest are evicted.
    let limit: Int
    var order: EvictionOrder
    /// The searches for sources of errors that have not ended.
    var openSearches: SourceSearches

    init(memory: PageMemory, limit: Int) {
        self.init(
            records: Pool(memory: memory), links: LinkTable(memory: memory), leaves: Pool(memory: memory), limit: limit,
            order: EvictionOrder(), openSearches: SourceSearches())
    }

    private init(
        records: consuming Pool<ChainRecord>, links: consuming LinkTable, leaves: consuming Pool<LeafNode>, limit: Int,
        order: EvictionOrder, openSearches: SourceSearches
    ) {
        self.records = records
        self.links = links
        self.leaves = leaves
        self.limit = limit
        self.order = order
        self.openSearches = openSearches
    }

    func copy(limit: Int) -> ChainTable {
        ChainTable(
            records: records.copy(), links: links.copy(), leaves: leaves.copy(), limit: limit, order: order, openSearches: openSearches)
    }

    var bytes: Int { records.bytes + links.bytes + leaves.bytes }

    // MARK: Chains

    /// Adds the chain of its first task, which can still end.
    @inline(__always)
    mutating func add(first row: Int32) -> Int32 { records.insert(ChainRecord(first: row)) }

    mutating func remove(_ chain: Int32) { records.remove(chain) }

    /// Links a task to an antecedent, whose row is nil if it is not kept. A live task keeps its antecedents in other chains from eviction.
    mutating func link(
        _ row: Int32, _ task: UnsafeMutablePointer<TaskRecord>, from id: UInt64, _ fromRow: Int32?, _ tasks: borrowing TaskTable
    ) -> (index: Int32, record: UnsafeMutablePointer<LinkRecord>) {
        guard let fromRow else { return links.add(row, task, fromEvicted: id) }
        let antecedent = tasks.records.writing(fromRow)
        let (link, record) = links.add(row, task, from: fromRow, antecedent)
        if antecedent.pointee.chain != task.pointee.chain, !task.pointee.flags.contains(.isRetired) {
            record.pointee.isHolding = true
            task.pointee.flags.insert(.holdsAntecedents)
            hold(antecedent.pointee.chain)
        }
        return (link, record)
    }

    /// Moves a task and all tasks that already follow from it to the antecedent's chain. Until now the task was the first of its own chain.
    mutating func join(
        _ task: UnsafeMutablePointer<TaskRecord>, _ antecedent: UnsafePointer<TaskRecord>,
        _ tasks: borrowing TaskTable
    ) {
        let old = task.pointee.chain
        let new = antecedent.pointee.chain
        // In a damaged trace a task may follow from itself.
        guard new != old else { return }
        let record = records.writing(new)
        unlist(records.writing(old))
        record.pointee.needs += records.reading(old).pointee.needs
        records.remove(old)
        task.pointee.chain = new
        var open = [task]
        while let next = open.popLast() {
            links.forEachSuccessor(of: next) { row in
                let successor = tasks.records.writing(row)
                guard successor.pointee.chain == old else { return }
                successor.pointee.chain = new
                open.append(successor)
            }
        }
        list(new, record)
    }

    /// The id of a chain's first task. If the chain's beginning is not kept, the id of the task that its first kept task continues.
    func id(of chain: Int32, _ tasks: borrowing TaskTable) -> UInt64 {
        let first = tasks.records.reading(records.reading(chain).pointee.first)
        guard first.pointee.kind.continuesAChain else { return first.pointee.id }
        return links.firstAntecedent(of: first, tasks) ?? first.pointee.id
    }

    // MARK: Ended chains

    /// Records that a live task needs the chain: a task of the chain, or one that follows from it.
    mutating func hold(_ chain: Int32) {
        let record = records.writing(chain)
        record.pointee.needs += 1
        unlist(record)
    }

    /// Records that a task no longer needs the chain.
    @inline(__always)
    mutating func release(_ chain: Int32) {
        let record = records.writing(chain)
        record.pointee.needs -= 1
        list(chain, record)
    }

    /// An ended task no longer needs its antecedents.
    mutating func releaseHolds(
        of task: UnsafeMutablePointer<TaskRecord>, _ tasks: borrowing TaskTable
    ) {
        task.pointee.flags.remove(.holdsAntecedents)
        let last = task.pointee.lastIn
        var link = last
        repeat {
            link = links.records.reading(link).pointee.nextIn
            guard links.records.reading(link).pointee.isHolding else { continue }
            let record = links.records.writing(link)
            record.pointee.isHolding = false
            // A held chain is not evicted, so the antecedent's row is valid.
            release(tasks.records.reading(record.pointee.from).pointee.chain)
        } while link != last
    }

    /// Appends a chain to the list of ended chains once no live task needs it.
    private mutating func list(_ chain: Int32, _ record: UnsafeMutablePointer<ChainRecord>) {
        guard record.pointee.needs == 0 else {
            unlist(record)
            return
        }
        guard record.pointee.previousEnded == ChainRecord.unlisted else { return }
        record.pointee.previousEnded = order.lastEnded
        record.pointee.nextEnded = -1
        if order.lastEnded >= 0 { records.writing(order.lastEnded).pointee.nextEnded = chain } else { order.firstEnded = chain }
        order.lastEnded = chain
    }

    mutating func unlist(_ record: UnsafeMutablePointer<ChainRecord>) {
        let (previous, next) = (record.pointee.previousEnded, record.pointee.nextEnded)
        guard previous != ChainRecord.unlisted else { return }
        if previous >= 0 { records.writing(previous).pointee.nextEnded = next } else { order.firstEnded = next }
        if next >= 0 { records.writing(next).pointee.previousEnded = previous } else { order.lastEnded = previous }
        record.pointee.previousEnded = ChainRecord.unlisted
    }
}

/// A chain, and its position in the list of ended chains.
struct ChainRecord: BitwiseCopyable {
    static var unlisted: Int32 { -2 }

    /// The row of the chain's first task.
    var first: Int32
    /// The number of the chain's tasks that can still end, plus the links from its tasks to live tasks of other chains. The chain is not
    /// evicted while the number is greater than 0.
    var needs: Int32 = 1
    var previousEnded = unlisted
    var nextEnded: Int32 = -1
}

/// The lists of ended chains, in the order of their ends, of evictable leaves, and of tasks that are being evicted.
struct EvictionOrder {
    /// The number of kept tasks that have ended or can no longer end.
    var endedCount = 0
    /// The ended chains that no live task follows from.
    var firstEnded: Int32 = -1
    var lastEnded: Int32 = -1
    var firstLeaf: Int32 = -1
    var lastLeaf: Int32 = -1
    /// The links to the other tasks of the chain that is being evicted, otherwise -1. A cut link leads to the next one.
    var firstCut: Int32 = -1
}

/// A leaf in the list of leaves.
struct LeafNode: BitwiseCopyable {
    let task: UInt64
    var next: Int32 = -1
}

extension TaskKind {
    /// Whether a task of this kind belongs to its first antecedent's chain. Other tasks begin a chain.
    var continuesAChain: Bool {
        switch self {
        case .continuation, .asyncLet, .groupChild, .internal: true
        case .root, .join, .delay, .source, .unstructured, .detached, .block, .main: false
        }
    }
}
