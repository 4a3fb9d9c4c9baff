/// Counts lengths of time by their size, four sizes for each doubling, so that a median is exact to a fifth.
struct LengthCounts {
    private static let perDoubling = 4

    private var counts = [UInt32](repeating: 0, count: UInt64.bitWidth * perDoubling)
    private var total: UInt64 = 0

    mutating func note(_ length: UInt64) {
        counts[Self.size(of: length)] &+= 1
        total += 1
    }

    /// The greatest length of the size that the middle length has. Nil without lengths.
    var median: UInt64? {
        guard total > 0 else { return nil }
        var left = (total + 1) / 2
        for (size, count) in counts.enumerated() {
            if left <= UInt64(count) { return Self.greatest(ofSize: size) }
            left -= UInt64(count)
        }
        return nil
    }

    /// The doubling, and the two bits below the highest one.
    private static func size(of length: UInt64) -> Int {
        let bits = UInt64.bitWidth - max(length, 1).leadingZeroBitCount - 1
        let rest = bits >= 2 ? length >> UInt64(bits - 2) & 3 : length << UInt64(2 - bits) & 3
        return bits * perDoubling + Int(rest)
    }

    private static func greatest(ofSize size: Int) -> UInt64 {
        let (bits, rest) = (UInt64(size / perDoubling), UInt64(size % perDoubling))
        return bits >= 2 ? ((5 + rest) << (bits - 2)) &- 1 : (4 + rest) >> (2 - bits)
    }
}
