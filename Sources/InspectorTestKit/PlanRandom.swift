/// SplitMix64.
struct PlanRandom {
    private var state: UInt64

    /// Mixes the seed: generators whose states differ by a multiple of the step would repeat one another's numbers.
    init(seed: UInt64, stream: UInt64) {
        state = stream
        state = next() ^ seed
        state = next()
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    mutating func isTrue(_ part: Int, in whole: Int) -> Bool { number(in: 1...whole) <= part }
}
