import TaskEvents
import TraceAnalysis
import TraceStore

/// The requested filter, sort and grouping of the task list.
struct TaskOrderWish: Hashable {
    var sort = TaskSort()
    var grouping = TaskGrouping.none
    var query = TaskQuery()
}

/// One pass that puts tasks in order: it filters them, computes their sort keys, sorts them byte by byte, and lists them.
///
/// Each step can pause at any task. The pass reads each task once, in the state of that moment.
struct SortPass {
    private enum Step {
        case looking, ranking, sorting, dividing, done
    }

    /// Estimated nanoseconds per task for each step: reading the task and its group, and dividing the list into groups.
    private static let costOfLooking = 18
    private static let costOfGroup = 6
    private static let costOfDividing = 8

    let eventCount: Int
    private let matcher: TaskQueryMatcher?
    /// The number of tasks to look at, and of blocks if the filter asks for them.
    private let keptCount: Int
    /// Whether the list leaves out the tasks that a runtime made for itself.
    private let leavesOutInternal: Bool
    private var step = Step.looking
    /// The last task read. Nil after all tasks.
    private var latest: TaskID? = TaskID.none
    private var lookedAt = 0
    /// The number of tasks that match the filter. Nil until all have been tested.
    private(set) var matchCount: Int?
    /// The matching tasks in the order of their ids.
    private var ids: [UInt64]
    private var keys: SortKeys
    private var sorting: RadixSort
    private var entries: (entries: [SortEntry], other: [SortEntry])
    /// The tasks in order, and each one's group number.
    private(set) var order: [TaskID]
    private var groupNumbers: [UInt64]
    private(set) var groups = TaskGroups()
    private var divided = 0

    init(_ store: TraceStore, _ wish: TaskOrderWish, _ warnings: WarningIndex, _ memory: SortMemory) {
        let includesBlocks = wish.query.asksForBlocks
        keptCount = store.keptCount + (includesBlocks ? store.keptBlockCount : 0)
        ids = memory.ids
        ids.makeRoom(for: keptCount)
        keys = SortKeys(wish.sort, wish.grouping, count: keptCount, memory: (memory.keys, memory.groups))
        entries = (memory.entries, memory.other)
        order = memory.order
        groupNumbers = memory.groupNumbers
        sorting = RadixSort()
        matcher = wish.query.isEmpty ? nil : TaskQueryMatcher(wish.query, in: store, warnings: warnings)
        leavesOutInternal = store.internalCount > 0 && !wish.query.asksForKind
        matchCount = wish.query.isEmpty && !leavesOutInternal ? store.keptCount : nil
        eventCount = store.eventCount
    }

    /// Ends the pass and hands its arrays to the next.
    mutating func giveBack() -> SortMemory {
        switch step {
        case .looking, .ranking: break
        case .sorting, .dividing, .done: entries = sorting.giveBack()
        }
        // The sort also holds the keys. Replacing it first lets the arrays be emptied in place instead of copied.
        sorting = RadixSort()
        let numbers = keys.giveBack()
        ids.removeAll(keepingCapacity: true)
        return SortMemory(
            ids: ids, keys: numbers.keys, groups: numbers.groups, entries: entries.entries, other: entries.other, order: order,
            groupNumbers: groupNumbers)
    }

    /// Reads all remaining tasks, without a limit.
    mutating func lookAtAll(_ store: TraceStore) { look(store, limit: .max) }

    /// Continues as far as the portion allows. Returns true when done.
    mutating func advance(_ store: TraceStore, _ portion: inout Portion) -> Bool {
        while true {
            switch step {
            case .looking:
                let cost = Self.costOfLooking + (keys.grouping == .none ? 0 : Self.costOfGroup)
                while latest != nil {
                    let limit = portion.take(max(keptCount - lookedAt, TaskBlock.size), each: cost)
                    guard limit > 0 else { return false }
                    look(store, limit: limit)
                }
                step = .ranking
            case .ranking:
                guard keys.rank(&portion) else { return false }
                begin()
                step = .sorting
            case .sorting:
                guard list(&portion) else { return false }
                step = .dividing
            case .dividing:
                guard divide(&portion) else { return false }
                step = .done
            case .done:
                return true
            }
        }
    }

    private mutating func look(_ store: TraceStore, limit: Int) {
        guard let after = latest else { return }
        latest = store.forEachBlock(after: after, limit: limit, includesBlocks: matcher?.includesBlocks ?? false) { block in
            lookedAt += block.count
            var fitting = matcher?.fitting(block) ?? block.all
            if leavesOutInternal { fitting &= ~block.internal }
            guard fitting != 0 else { return }
            keys.append(block, fitting, ids: &ids, in: store)
        }
        if latest == nil { matchCount = ids.count }
    }

    private mutating func begin() {
        sorting = RadixSort(keys: keys.keys, groups: keys.groups, isReversed: keys.sort.isReversed, memory: entries)
        entries = ([], [])
        order.removeLast(max(0, order.count - ids.count))
        groupNumbers.removeLast(max(0, groupNumbers.count - keys.groups.numbers.count))
        groups = TaskGroups(keys.grouping, names: keys.groupNames)
    }

    private mutating func list(_ portion: inout Portion) -> Bool {
        guard order.grow(to: ids.count, with: .none, &portion) else { return false }
        guard groupNumbers.grow(to: keys.groups.numbers.count, with: 0, &portion) else { return false }
        return Self.list(&sorting, ids, into: &order, &groupNumbers, &portion)
    }

    private mutating func divide(_ portion: inout Portion) -> Bool {
        let part = portion.take(divided..<groupNumbers.count, each: Self.costOfDividing)
        for index in part where index + 1 == groupNumbers.count || groupNumbers[index] != groupNumbers[index + 1] {
            groups.append(groupNumbers[index], until: index + 1)
        }
        divided = part.upperBound
        return divided == groupNumbers.count
    }

    private static func list(
        _ sorting: inout RadixSort, _ ids: [UInt64], into order: inout [TaskID], _ groupNumbers: inout [UInt64], _ portion: inout Portion
    ) -> Bool {
        let isGrouped = !groupNumbers.isEmpty
        return order.withUnsafeMutableBufferPointer { order in
            groupNumbers.withUnsafeMutableBufferPointer { groupNumbers in
                ids.withUnsafeBufferPointer { ids in
                    sorting.advance(&portion) { rank, index, group in
                        order[rank] = TaskID(rawValue: ids[index])
                        if isGrouped { groupNumbers[rank] = group }
                    }
                }
            }
        }
    }
}

/// The arrays of a pass, kept for the next pass: allocating for a million tasks would cost as much as sorting them.
struct SortMemory {
    var ids: [UInt64] = []
    var keys: [UInt64] = []
    var groups: [UInt64] = []
    var entries: [SortEntry] = []
    var other: [SortEntry] = []
    var order: [TaskID] = []
    var groupNumbers: [UInt64] = []
}
