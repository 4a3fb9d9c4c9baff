import TraceStore

/// Numbers texts in the order of their first use, and ranks them alphabetically at the end.
struct TextNumbers {
    struct Text: Hashable {
        /// The rank before all texts.
        var rank = 0
        var text: String
        /// The rank after all texts.
        var number: UInt32 = 0
        var name: TaskGroup.Name = .name(nil)
    }

    private var texts: [Text] = []
    /// Per entry or executor, the text's number plus one. 0 until it is first used.
    private var numbers: [UInt32] = []
    /// The same for ids from ``nearest`` on. A damaged trace may have any id.
    private var distant: [UInt64: UInt32] = [:]

    /// The number of ids with a place in the array, which then has 16 MiB. A trace has fewer names.
    static let nearest = 1 << 22

    /// The length of the array.
    var room: Int { numbers.count }

    /// The text numbers of a block's tasks, by the fact that determines the text.
    mutating func number(
        _ block: borrowing TaskBlock, _ fact: TaskFact, into numbers: UnsafeMutableBufferPointer<UInt64>, _ text: (UInt64) -> Text
    ) {
        let facts = block.read(fact)
        for index in 0..<block.count { numbers[index] = number(of: facts[index], text) }
    }

    /// The number of the text for this entry. Calls `text` once per entry.
    @inline(__always)
    mutating func number(of fact: UInt64, _ text: (UInt64) -> Text) -> UInt64 {
        if fact < UInt64(numbers.count), numbers[Int(fact)] != 0 { return UInt64(numbers[Int(fact)] - 1) }
        return add(fact, text)
    }

    @inline(never)
    private mutating func add(_ fact: UInt64, _ text: (UInt64) -> Text) -> UInt64 {
        if let known = distant[fact] { return UInt64(known - 1) }
        texts.append(text(fact))
        guard fact < UInt64(Self.nearest) else {
            distant[fact] = UInt32(texts.count)
            return UInt64(texts.count - 1)
        }
        let index = Int(fact)
        if index >= numbers.count { numbers.append(contentsOf: repeatElement(0, count: max(index + 1, numbers.count * 2) - numbers.count)) }
        numbers[index] = UInt32(texts.count)
        return UInt64(texts.count - 1)
    }

    /// The alphabetical rank of each number; equal texts share a rank.
    func ranks() -> [UInt64] {
        let sorted = texts.indices.sorted { one, other in
            let (one, other) = (texts[one], texts[other])
            return (one.rank, one.text, one.number) < (other.rank, other.text, other.number)
        }
        var ranks = [UInt64](repeating: 0, count: texts.count)
        for (before, index) in zip([nil] + sorted.map(Optional.some), sorted) {
            guard let before else { continue }
            ranks[index] = ranks[before] + (texts[index] == texts[before] ? 0 : 1)
        }
        return ranks
    }

    /// The texts by rank, as headings of groups.
    func names(ranks: [UInt64]) -> [TaskGroup.Name] {
        var names: [TaskGroup.Name] = Array(repeating: .name(nil), count: texts.count)
        for (number, rank) in ranks.enumerated() { names[Int(rank)] = texts[number].name }
        return names
    }
}
