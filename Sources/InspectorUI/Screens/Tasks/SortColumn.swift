/// The sort numbers of tasks, in the order of the tasks.
struct SortColumn {
    private(set) var numbers: [UInt64] = []
    /// The bits in which the numbers differ.
    private var differing: UInt64 = 0

    init() {}

    /// - Parameters:
    ///   - count: the approximate number of tasks.
    ///   - memory: an empty array whose capacity is reused.
    init(count: Int, memory: [UInt64]) {
        numbers = memory
        numbers.makeRoom(for: count)
    }

    mutating func append(_ more: UnsafeBufferPointer<UInt64>) {
        guard let first = numbers.first ?? more.first else { return }
        for number in more { differing |= number ^ first }
        numbers.append(contentsOf: more)
    }

    /// Replaces each number of a part by the number that `others` has at its index.
    mutating func replace(_ part: Range<Int>, by others: [UInt64]) {
        for index in part { numbers[index] = others[Int(numbers[index])] }
        differing = others.reduce(0) { $0 | $1 ^ others[0] }
    }

    /// The shifts of the bytes in which the numbers differ, from the lowest.
    var differingBytes: [UInt64] { stride(from: 0, to: 64, by: 8).filter { differing >> $0 & 0xFF != 0 } }

    /// Returns the emptied memory for another column. This column must not be used afterwards.
    mutating func giveBack() -> [UInt64] {
        defer { numbers = [] }
        numbers.removeAll(keepingCapacity: true)
        return numbers
    }
}
