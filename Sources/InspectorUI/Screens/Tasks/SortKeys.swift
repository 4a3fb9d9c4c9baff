import TaskEvents
import TraceAnalysis
import TraceStore

/// Computes the numbers by which tasks are sorted and grouped, 64 tasks at a time.
///
/// Names, sites and executors get numbers in the order of their first use, and alphabetical ranks at the end. A program has few of these
/// texts, and comparing the texts of a million rows would take too long.
struct SortKeys {
    let sort: TaskSort
    let grouping: TaskGrouping
    private(set) var keys: SortColumn
    /// Empty without groups.
    private(set) var groups: SortColumn
    private var keyNumbers = TextNumbers()
    private var groupNumbers = TextNumbers()
    /// The alphabetical rank of each text number. Nil until all texts have been met.
    private var ranks: (ofKeys: [UInt64], ofGroups: [UInt64])?
    /// The number of tasks whose text numbers are already replaced by ranks.
    private var ranked = 0

    /// - Parameters:
    ///   - count: the approximate number of tasks.
    ///   - memory: empty arrays for keys and groups.
    init(_ sort: TaskSort, _ grouping: TaskGrouping, count: Int, memory: (keys: [UInt64], groups: [UInt64])) {
        self.sort = sort
        self.grouping = grouping
        keys = SortColumn(count: count, memory: memory.keys)
        groups = SortColumn(count: grouping == .none ? 0 : count, memory: memory.groups)
    }

    mutating func giveBack() -> (keys: [UInt64], groups: [UInt64]) { (keys.giveBack(), groups.giveBack()) }

    /// Appends the numbers and ids of the block's requested tasks. `asked` has one bit per task.
    mutating func append(_ block: borrowing TaskBlock, _ asked: UInt64, ids: inout [UInt64], in store: TraceStore) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: TaskBlock.size) { numbers in
            numbers.copy(block, .id)
            ids.append(contentsOf: numbers.keeping(asked, of: block))
            readKeys(block, into: numbers, in: store)
            keys.append(numbers.keeping(asked, of: block))
            guard grouping != .none else { return }
            readGroups(block, into: numbers, in: store)
            groups.append(numbers.keeping(asked, of: block))
        }
    }

    /// Replaces text numbers by alphabetical ranks, one portion per call. True when done. Call it after all tasks have been met.
    mutating func rank(_ portion: inout Portion) -> Bool {
        let ranks = self.ranks ?? (keyNumbers.ranks(), groupNumbers.ranks())
        self.ranks = ranks
        guard !ranks.ofKeys.isEmpty || !ranks.ofGroups.isEmpty else { return true }
        let part = portion.take(ranked..<keys.numbers.count, each: 4)
        if !ranks.ofKeys.isEmpty { keys.replace(part, by: ranks.ofKeys) }
        if !ranks.ofGroups.isEmpty { groups.replace(part, by: ranks.ofGroups) }
        ranked = part.upperBound
        return ranked == keys.numbers.count
    }

    /// The names of groups of texts by their numbers. Valid after all texts have been ranked.
    var groupNames: [TaskGroup.Name] { groupNumbers.names(ranks: ranks?.ofGroups ?? []) }

    private mutating func readGroups(_ block: borrowing TaskBlock, into numbers: UnsafeMutableBufferPointer<UInt64>, in store: TraceStore) {
        switch grouping {
        case .none: break
        case .state: readStates(block, into: numbers, in: store)
        case .chain: numbers.copy(block, .chain)
        case .executor: groupNumbers.number(block, .executor, into: numbers) { TaskSortText.executor($0, in: store) }
        case .name: groupNumbers.number(block, .label, into: numbers) { TaskSortText.name($0, in: store) }
        case .site: groupNumbers.number(block, .label, into: numbers) { TaskSortText.siteWithModule($0, in: store) }
        case .library: groupNumbers.number(block, .label, into: numbers) { TaskSortText.library($0, in: store) }
        }
    }

    private mutating func readKeys(_ block: borrowing TaskBlock, into keys: UnsafeMutableBufferPointer<UInt64>, in store: TraceStore) {
        switch sort.column.row.sort {
        case .fact(let fact): keys.copy(block, fact)
        case .knownFact(let fact):
            let facts = block.read(fact)
            for index in 0..<block.count { keys[index] = facts[index] == TaskBlock.unknown ? 0 : facts[index] }
        case .state: readStates(block, into: keys, in: store)
        case .next: readNext(block, into: keys, in: store)
        case .wait: readWaits(block, into: keys, in: store)
        case .text(let fact, let text): keyNumbers.number(block, fact, into: keys) { text($0, store) }
        }
    }

    private func readStates(_ block: borrowing TaskBlock, into numbers: UnsafeMutableBufferPointer<UInt64>, in store: TraceStore) {
        let states = block.read(.state)
        DisplayedState.ranksByFact.withUnsafeBufferPointer { ranks in
            for index in 0..<block.count { numbers[index] = ranks[Int(states[index])] }
        }
        guard store.isOver else { return }
        let running = UInt64(TaskState.running.rawValue)
        for index in 0..<block.count where states[index] == running && block[index].isFinishedMain {
            numbers[index] = UInt64(DisplayedState.ended.rank)
        }
    }

    private func readWaits(_ block: borrowing TaskBlock, into keys: UnsafeMutableBufferPointer<UInt64>, in store: TraceStore) {
        let states = block.read(.state)
        for index in 0..<block.count {
            let hasEnded = TaskState(rawValue: UInt8(states[index] & 7))?.hasEnded ?? true
            keys[index] = (hasEnded ? nil : WaitsFor.order(of: block[index], in: store)) ?? TaskBlock.unknown
        }
    }

    private func readNext(_ block: borrowing TaskBlock, into keys: UnsafeMutableBufferPointer<UInt64>, in store: TraceStore) {
        keys.copy(block, .firstSuccessor)
        let (pending, suspended) = (UInt64(TaskState.pending.rawValue), UInt64(TaskState.suspended.rawValue))
        let states = block.read(.state)
        // A waiting task shows the task that it waits for. Any other task shows its follower.
        for index in 0..<block.count where states[index] == pending || states[index] == suspended {
            keys[index] = block[index].next(in: store).map { $0.other.rawValue } ?? TaskBlock.unknown
        }
    }
}

extension UnsafeMutableBufferPointer<UInt64> {
    fileprivate func copy(_ block: borrowing TaskBlock, _ fact: TaskFact) {
        let numbers = block.read(fact)
        for index in 0..<block.count { self[index] = numbers[index] }
    }

    /// Moves the numbers of the requested tasks of a block to the front. `asked` has one bit per task.
    fileprivate func keeping(_ asked: UInt64, of block: borrowing TaskBlock) -> UnsafeBufferPointer<UInt64> {
        var count = block.count
        if asked != block.all {
            count = 0
            var left = asked
            while left != 0 {
                self[count] = self[left.trailingZeroBitCount]
                count += 1
                left &= left - 1
            }
        }
        return UnsafeBufferPointer(rebasing: self[..<count])
    }
}
