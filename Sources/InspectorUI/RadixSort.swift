/// What a task is sorted by, as numbers.
struct SortEntry {
    var key: UInt64
    /// The group above the lowest 28 bits, in these the task's place among all that are sorted.
    var tag: UInt64

    static let placeBits: UInt64 = 28

    init(key: UInt64, group: UInt64, place: Int) {
        precondition(place < 1 << Self.placeBits, "\(place) tasks in one list")
        self.key = key
        tag = group << Self.placeBits | UInt64(place)
    }

    var group: UInt64 { tag >> Self.placeBits }
    var place: Int { Int(tag & (1 << Self.placeBits - 1)) }
}

/// Sorts entries by group, key and place, a byte of the key at a time, from the lowest to the highest.
///
/// In the time of so many passes as there are bytes in which keys differ; and each pass is a call of its own, so that a million entries hold
/// nobody up. The entries come in the order of their places, which is kept where keys are the same.
struct RadixSort {
    private(set) var entries: [SortEntry]
    private var other: [SortEntry]
    /// How far to shift key or tag for the bytes that are still to be sorted by.
    private var shifts: [(isTag: Bool, shift: UInt64)] = []

    /// - Parameter memory: what it holds is of no interest; it saves getting as much anew.
    init(_ entries: [SortEntry], memory: [SortEntry] = []) {
        self.entries = entries
        other = memory
        guard let first = entries.first else { return }
        var (key, tag): (UInt64, UInt64) = (0, 0)
        for entry in entries {
            key |= entry.key ^ first.key
            tag |= entry.tag ^ first.tag
        }
        for shift in stride(from: 0 as UInt64, to: 64, by: 8) where key >> shift & 0xFF != 0 { shifts.append((false, shift)) }
        for shift in stride(from: SortEntry.placeBits, to: 64, by: 8) where tag >> shift & 0xFF != 0 { shifts.append((true, shift)) }
    }

    /// Passes that are still to come.
    var passesLeft: Int { shifts.count }

    /// The two arrays, for another sort; this one is over.
    mutating func giveBack() -> (entries: [SortEntry], memory: [SortEntry]) {
        defer { (entries, other, shifts) = ([], [], []) }
        return (entries, other)
    }

    /// Makes the next pass.
    mutating func pass() {
        guard !shifts.isEmpty else { return }
        let (isTag, shift) = shifts.removeFirst()
        if other.count < entries.count {
            other.reserveCapacity(entries.count)
            other.append(contentsOf: entries[other.count...])
        } else if other.count > entries.count {
            other.removeLast(other.count - entries.count)
        }
        entries.withUnsafeBufferPointer { source in
            other.withUnsafeMutableBufferPointer { target in
                if isTag {
                    Self.sort(source, into: target) { Int(truncatingIfNeeded: $0.tag >> shift & 0xFF) }
                } else {
                    Self.sort(source, into: target) { Int(truncatingIfNeeded: $0.key >> shift & 0xFF) }
                }
            }
        }
        swap(&entries, &other)
    }

    @inline(__always)
    private static func sort(
        _ source: UnsafeBufferPointer<SortEntry>, into target: UnsafeMutableBufferPointer<SortEntry>, by digit: (SortEntry) -> Int
    ) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { starts in
            starts.initialize(repeating: 0)
            for entry in source { starts[digit(entry)] += 1 }
            var start = 0
            for index in starts.indices { (starts[index], start) = (start, start + starts[index]) }
            for entry in source {
                let index = digit(entry)
                target[starts[index]] = entry
                starts[index] += 1
            }
        }
    }
}
