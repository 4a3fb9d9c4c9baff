/// The number that each task is sorted by, in the tasks' order.
struct SortColumn {
    private(set) var numbers: [UInt64] = []
    /// The bits in which they differ.
    private var differing: UInt64 = 0

    init() {}

    /// - Parameters:
    ///   - count: about how many there will be.
    ///   - memory: an empty array with capacity; that saves an allocation.
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

    /// How far to shift a number for each byte that is not the same in all, from the lowest.
    var differingBytes: [UInt64] { stride(from: 0, to: 64, by: 8).filter { differing >> $0 & 0xFF != 0 } }

    /// The memory for another column, empty; this one is over.
    mutating func giveBack() -> [UInt64] {
        defer { numbers = [] }
        numbers.removeAll(keepingCapacity: true)
        return numbers
    }
}
