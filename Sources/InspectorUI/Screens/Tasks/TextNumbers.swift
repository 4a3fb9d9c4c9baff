import TraceStore

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

    /// The numbers of a block's tasks, by a fact that the text depends on.
    mutating func number(
        _ block: borrowing TaskBlock, _ fact: TaskFact, into numbers: UnsafeMutableBufferPointer<UInt64>, _ text: (UInt64) -> Text
    ) {
        let facts = block.read(fact)
        for index in 0..<block.count { numbers[index] = number(of: facts[index], text) }
    }

    /// The number of what has that text; `text` is asked once.
    @inline(__always)
    private mutating func number(of fact: UInt64, _ text: (UInt64) -> Text) -> UInt64 {
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

    /// What the groups of texts are called, by their places in the alphabet.
    func names(ranks: [UInt64]) -> [TaskGroup.Name] {
        var names: [TaskGroup.Name] = Array(repeating: .name(nil), count: texts.count)
        for (number, rank) in ranks.enumerated() { names[Int(rank)] = texts[number].name }
        return names
    }
}
