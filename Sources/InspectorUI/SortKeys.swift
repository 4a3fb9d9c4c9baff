import TaskEvents
import TraceStore

/// Makes the numbers by which tasks are sorted and grouped, 64 tasks at a time.
///
/// Names, sites and executors are numbered as they are met, and by the alphabet when all have been: a program has few of them, and comparing
/// the texts of a million rows would not end.
struct SortKeys {
    let sort: TaskSort
    let grouping: TaskGrouping
    private var keyNumbers = TextNumbers()
    private var groupNumbers = TextNumbers()

    init(_ sort: TaskSort, _ grouping: TaskGrouping) {
        self.sort = sort
        self.grouping = grouping
    }

    /// The entries of a block's tasks that are asked for, a bit each, places counted on from `entries.count`.
    mutating func append(_ block: borrowing TaskBlock, _ asked: UInt64, to entries: inout [SortEntry], in store: TraceStore) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: TaskBlock.size) { keys in
            readKeys(block, into: keys, in: store)
            let facts = groupFact.map { block.read($0) }
            var left = asked
            while left != 0 {
                let index = left.trailingZeroBitCount
                left &= left - 1
                let group = facts.map { groupNumber($0[index], in: store) } ?? 0
                entries.append(SortEntry(key: keys[index], group: group, place: entries.count))
            }
        }
    }

    /// Puts the numbers of texts into the order of the alphabet, and turns keys round where that is asked for. To be called when all tasks have
    /// been met; what the groups are called, by their numbers, is known from then on.
    mutating func finish(_ entries: inout [SortEntry]) -> [UInt64: TaskGroup.Name] {
        let keys = keyNumbers.ranks()
        let groups = groupNumbers.ranks()
        let flip: UInt64 = sort.isReversed ? .max : 0
        guard !keys.isEmpty || !groups.isEmpty || flip != 0 else { return [:] }
        entries.withUnsafeMutableBufferPointer { entries in
            for index in entries.indices {
                let entry = entries[index]
                let key = keys.isEmpty ? entry.key : keys[Int(entry.key)]
                let group = groups.isEmpty ? entry.group : groups[Int(entry.group)]
                entries[index] = SortEntry(key: key ^ flip, group: group, place: entry.place)
            }
        }
        return groupNumbers.names(ranks: groups, grouping)
    }

    /// The number of a task's group, by what its group is called.
    static func name(ofGroup group: UInt64, _ grouping: TaskGrouping, _ names: [UInt64: TaskGroup.Name]) -> TaskGroup.Name {
        switch grouping {
        case .none, .state: .state(UInt8(truncatingIfNeeded: group))
        case .chain: .chain(TaskID(rawValue: group))
        case .name, .executor: names[group] ?? .name(nil)
        }
    }

    private var groupFact: TaskFact? {
        switch grouping {
        case .none: nil
        case .state: .state
        case .executor: .executor
        case .name: .label
        case .chain: .chain
        }
    }

    private mutating func groupNumber(_ fact: UInt64, in store: TraceStore) -> UInt64 {
        switch grouping {
        case .none: 0
        case .state: UInt64(StateRank.byFact[Int(fact)].rawValue)
        case .chain: fact
        case .executor: groupNumbers.number(of: fact) { Self.executorText($0, in: store) }
        case .name: groupNumbers.number(of: fact) { Self.nameText($0, in: store) }
        }
    }

    private mutating func readKeys(_ block: borrowing TaskBlock, into keys: UnsafeMutableBufferPointer<UInt64>, in store: TraceStore) {
        let count = block.count
        func copy(_ fact: TaskFact) {
            let numbers = block.read(fact)
            for index in 0..<count { keys[index] = numbers[index] }
        }
        switch sort.column {
        case .mark: copy(.trouble)
        case .id: copy(.id)
        case .busy: copy(.busy)
        case .queued: copy(.queued)
        case .hops: copy(.hops)
        case .state:
            let states = block.read(.state)
            for index in 0..<count { keys[index] = UInt64(StateRank.byFact[Int(states[index])].rawValue) }
        case .total:
            let totals = block.read(.total)
            for index in 0..<count { keys[index] = totals[index] == TaskBlock.unknown ? 0 : totals[index] }
        case .next:
            copy(.firstSuccessor)
            let states = block.read(.state)
            // What waits says for what; anything else, what it leads to.
            for index in 0..<count
            where states[index] == UInt64(TaskState.pending.rawValue) || states[index] == UInt64(TaskState.suspended.rawValue) {
                keys[index] = block[index].next(in: store).map { $0.other.rawValue } ?? TaskBlock.unknown
            }
        case .name:
            number(block, .label) {
                Self.nameText($0, in: store)
            } into: {
                keys[$0] = $1
            }
        case .site:
            number(block, .label) {
                Self.siteText($0, in: store)
            } into: {
                keys[$0] = $1
            }
        case .executor:
            number(block, .executor) {
                Self.executorText($0, in: store)
            } into: {
                keys[$0] = $1
            }
        }
    }

    private mutating func number(
        _ block: borrowing TaskBlock, _ fact: TaskFact, _ text: (UInt64) -> TextNumbers.Text, into put: (Int, UInt64) -> Void
    ) {
        let facts = block.read(fact)
        for index in 0..<block.count { put(index, keyNumbers.number(of: facts[index], text)) }
    }

    // MARK: Texts

    private static func nameText(_ label: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let name = store.entries.label(EntryID(rawValue: UInt32(truncatingIfNeeded: label)))?.name
        // Tasks without one are called after their number.
        return TextNumbers.Text(text: name ?? "task", number: name == nil ? 0 : 1, name: .name(name))
    }

    private static func siteText(_ label: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let label = store.entries.label(EntryID(rawValue: UInt32(truncatingIfNeeded: label)))
        let file = label?.file.split(separator: "/").last.map(String.init) ?? ""
        return TextNumbers.Text(text: file, number: label?.line ?? 0)
    }

    private static func executorText(_ executor: UInt64, in store: TraceStore) -> TextNumbers.Text {
        let id = ExecutorID(rawValue: UInt16(truncatingIfNeeded: executor))
        guard id != .none else {
            // Tasks of no executor come last, as they have nothing to say in this column.
            return TextNumbers.Text(place: 2, text: "", name: .executor(.none))
        }
        let description = store.description(of: id)
        return TextNumbers.Text(place: 1, text: description.name, name: .executor(id))
    }
}

/// Numbers texts as they are met, and says in the end where each stands in the alphabet.
struct TextNumbers {
    struct Text: Hashable {
        /// What comes before the alphabet.
        var place = 0
        var text: String
        /// What comes after it.
        var number: UInt32 = 0
        var name: TaskGroup.Name = .name(nil)
    }

    private var texts: [Text] = []
    /// By entry or executor the text's number and one; 0 for one that was not met.
    private var numbers: [UInt32] = []

    /// The number of what has that text; `text` is asked once.
    @inline(__always)
    mutating func number(of fact: UInt64, _ text: (UInt64) -> Text) -> UInt64 {
        let index = Int(truncatingIfNeeded: fact)
        if index < numbers.count, numbers[index] != 0 { return UInt64(numbers[index] - 1) }
        return add(index, text(fact))
    }

    @inline(never)
    private mutating func add(_ index: Int, _ text: Text) -> UInt64 {
        if index >= numbers.count { numbers.append(contentsOf: repeatElement(0, count: max(index + 1, numbers.count * 2) - numbers.count)) }
        texts.append(text)
        numbers[index] = UInt32(texts.count)
        return UInt64(texts.count - 1)
    }

    /// Each text's place in the alphabet, by its number; the same for the same text.
    func ranks() -> [UInt64] {
        let sorted = texts.indices.sorted { one, other in
            let (one, other) = (texts[one], texts[other])
            return (one.place, one.text, one.number) < (other.place, other.text, other.number)
        }
        var ranks = [UInt64](repeating: 0, count: texts.count)
        for (before, index) in zip([nil] + sorted.map(Optional.some), sorted) {
            guard let before else { continue }
            ranks[index] = ranks[before] + (texts[index] == texts[before] ? 0 : 1)
        }
        return ranks
    }

    /// What the groups of texts are called, by their places.
    func names(ranks: [UInt64], _ grouping: TaskGrouping) -> [UInt64: TaskGroup.Name] {
        var names: [UInt64: TaskGroup.Name] = [:]
        for (number, rank) in ranks.enumerated() { names[rank] = texts[number].name }
        return names
    }
}
