import TaskEvents

/// Maps the ids of tasks and of blocks to rows. Each have pages of their own, because blocks are numbered apart from tasks.
struct IDMap: ~Copyable {
    typealias Lookup = IDPages.Lookup

    /// An id from this value on is not sequential but damaged.
    static var limit: UInt64 { 1 << 36 }

    private(set) var tasks: IDPages
    private(set) var blocks: IDPages

    init(memory: PageMemory) {
        self.init(tasks: IDPages(memory: memory), blocks: IDPages(memory: memory))
    }

    private init(tasks: consuming IDPages, blocks: consuming IDPages) {
        self.tasks = tasks
        self.blocks = blocks
    }

    func copy() -> IDMap { IDMap(tasks: tasks.copy(), blocks: blocks.copy()) }

    var bytes: Int { tasks.bytes + blocks.bytes }

    @inline(__always)
    static func isBlock(_ id: UInt64) -> Bool { TaskID(rawValue: id).isBlock }

    @inline(__always)
    func lookup(_ id: UInt64) -> Lookup {
        // No page of the tasks has room for the id of a block.
        if let known = tasks.known(id) { return known }
        return Self.isBlock(id) ? blocks.lookup(id &- TaskID.firstBlock) : tasks.lookup(id)
    }

    /// Collects the rows of kept ids from `id` on, and moves `id` past them: first of tasks, then of blocks if those are wanted.
    func collect(from id: inout UInt64, into rows: UnsafeMutablePointer<Int32>, limit: Int, includesBlocks: Bool) -> Int {
        if !Self.isBlock(id) {
            let count = tasks.collect(from: &id, into: rows, limit: limit)
            guard count == 0, includesBlocks else { return count }
            id = TaskID.firstBlock
        }
        var number = id - TaskID.firstBlock
        let count = blocks.collect(from: &number, into: rows, limit: limit)
        id = TaskID.firstBlock + number
        return count
    }

    /// Adds an id, which must be unseen.
    @inline(__always)
    mutating func set(_ id: UInt64, row: Int32) {
        if Self.isBlock(id) { blocks.set(id &- TaskID.firstBlock, row: row) } else { tasks.set(id, row: row) }
    }

    @inline(__always)
    mutating func evict(_ id: UInt64) {
        if Self.isBlock(id) { blocks.evict(id &- TaskID.firstBlock) } else { tasks.evict(id) }
    }
}
