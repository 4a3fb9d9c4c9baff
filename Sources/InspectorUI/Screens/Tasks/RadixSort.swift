/// A sort key and the place of its task in the input.
struct SortEntry: BitwiseCopyable {
    var number: UInt64
    var index: UInt32
}

/// Sorts places by group number if there are groups, then by key. Equal keys keep the order of their places.
///
/// It makes one pass per byte that differs between numbers, from the lowest byte to the highest. It can pause at any entry, so that a
/// million entries do not delay a key press.
struct RadixSort {
    private struct Pass {
        var isByGroup: Bool
        /// The shift that brings the pass's byte to the lowest position.
        var shift: UInt64
    }

    /// Estimated nanoseconds to count and to move an entry.
    static let costOfCounting = 2
    static let costOfMoving = 5

    private let keys: [UInt64]
    private let groups: [UInt64]
    /// The bits that are flipped in every key, for the reversed order.
    private let flip: UInt64
    /// The remaining passes. The last pass delivers the result, so there is always at least one.
    private var passes: [Pass]
    /// The entries in the order of the passes so far; empty before the first pass.
    private var entries: [SortEntry]
    private var areMade = false
    private var other: [SortEntry]
    /// While counting, the number of entries per byte value. While moving, the next free place for each value.
    private var starts = [Int](repeating: 0, count: 256)
    private var isCounted = false
    /// Entries counted or moved in this pass.
    private var position = 0

    /// - Parameters:
    ///   - groups: each task's group number; empty without groups.
    ///   - isReversed: whether large keys come first.
    ///   - memory: an array to reuse; its contents do not matter.
    init(keys: SortColumn, groups: SortColumn, isReversed: Bool = false, memory: (entries: [SortEntry], other: [SortEntry]) = ([], [])) {
        precondition(keys.numbers.count <= UInt32.max, "\(keys.numbers.count) tasks in one list")
        self.keys = keys.numbers
        self.groups = groups.numbers
        (entries, other) = memory
        flip = isReversed ? .max : 0
        passes = keys.differingBytes.map { Pass(isByGroup: false, shift: $0) }
        if !groups.numbers.isEmpty {
            passes += (groups.differingBytes.first == nil ? [0] : groups.differingBytes).map { Pass(isByGroup: true, shift: $0) }
        } else if passes.isEmpty {
            passes = [Pass(isByGroup: false, shift: 0)]
        }
    }

    /// A sort of no entries.
    init() {
        self.init(keys: SortColumn(), groups: SortColumn())
    }

    /// Hands the two arrays to the next sort. Call it only when this sort is done.
    mutating func giveBack() -> (entries: [SortEntry], other: [SortEntry]) {
        defer { (entries, other) = ([], []) }
        return (entries, other)
    }

    /// Continues as far as the portion allows. True when done. The last pass calls `put` with each place, its rank and its group number, in
    /// no particular order.
    @inline(__always)
    mutating func advance(_ portion: inout Portion, _ put: (_ rank: Int, _ index: Int, _ group: UInt64) -> Void) -> Bool {
        while let pass = passes.first {
            guard count(pass, &portion) else { return false }
            if passes.count == 1 {
                guard move(pass, &portion, to: { put($0, Int($1.index), $1.number) }) else { return false }
            } else {
                guard moveToOther(pass, next: passes[1], &portion) else { return false }
                swap(&entries, &other)
                areMade = true
            }
            passes.removeFirst()
            (position, isCounted) = (0, false)
        }
        return true
    }

    private mutating func count(_ pass: Pass, _ portion: inout Portion) -> Bool {
        guard !isCounted else { return true }
        var counts: [Int] = []
        swap(&counts, &starts)
        if position == 0 { for value in counts.indices { counts[value] = 0 } }
        let part = portion.take(position..<keys.count, each: Self.costOfCounting)
        counts.withUnsafeMutableBufferPointer { counts in
            forEach(part, pass) { counts[Self.byte(of: $0, pass)] += 1 }
        }
        position = part.upperBound
        isCounted = position == keys.count
        if isCounted {
            var start = 0
            for value in counts.indices { (counts[value], start) = (start, start + counts[value]) }
            position = 0
        }
        swap(&counts, &starts)
        return isCounted
    }

    private mutating func moveToOther(_ pass: Pass, next: Pass, _ portion: inout Portion) -> Bool {
        guard other.grow(to: keys.count, with: SortEntry(number: 0, index: 0), &portion) else { return false }
        var target: [SortEntry] = []
        swap(&target, &other)
        defer { swap(&target, &other) }
        let groups = next.isByGroup && !pass.isByGroup ? groups : []
        return target.withUnsafeMutableBufferPointer { target in
            guard !groups.isEmpty else { return move(pass, &portion) { target[$0] = $1 } }
            // The remaining passes sort by group.
            return groups.withUnsafeBufferPointer { groups in
                move(pass, &portion) { target[$0] = SortEntry(number: groups[Int($1.index)], index: $1.index) }
            }
        }
    }

    @inline(__always)
    private mutating func move(_ pass: Pass, _ portion: inout Portion, to put: (_ rank: Int, SortEntry) -> Void) -> Bool {
        var starts: [Int] = []
        swap(&starts, &self.starts)
        defer { swap(&starts, &self.starts) }
        let part = portion.take(position..<keys.count, each: Self.costOfMoving)
        starts.withUnsafeMutableBufferPointer { starts in
            forEach(part, pass) { entry in
                let value = Self.byte(of: entry, pass)
                put(starts[value], entry)
                starts[value] += 1
            }
        }
        position = part.upperBound
        return position == keys.count
    }

    @inline(__always)
    private func forEach(_ part: Range<Int>, _ pass: Pass, _ body: (SortEntry) -> Void) {
        if areMade {
            entries.withUnsafeBufferPointer { entries in for index in part { body(entries[index]) } }
        } else {
            let flip = pass.isByGroup ? 0 : flip
            (pass.isByGroup ? groups : keys).withUnsafeBufferPointer { numbers in
                for index in part { body(SortEntry(number: numbers[index] ^ flip, index: UInt32(truncatingIfNeeded: index))) }
            }
        }
    }

    @inline(__always)
    private static func byte(of entry: SortEntry, _ pass: Pass) -> Int {
        Int(truncatingIfNeeded: entry.number >> pass.shift & 0xFF)
    }
}
