import Testing

@testable import TraceAnalysis

@Suite struct LengthCountsTests {
    @Test("The median of one length is that length or at most a quarter longer")
    func ofOne() {
        let edges = (0..<64).flatMap { [UInt64(1) << UInt64($0), UInt64.max >> UInt64($0)] }
        for length in Array(1...1000) + edges {
            var counts = LengthCounts()
            counts.note(length)
            let median = counts.median ?? 0
            #expect(median >= length && median - length <= length / 4, "\(length) gives \(median)")
        }
    }

    @Test("The median is the middle length, of two the shorter one")
    func ofMany() {
        var counts = LengthCounts()
        #expect(counts.median == nil)
        for length in [1, 2, 3, 1000] as [UInt64] { counts.note(length) }
        #expect(counts.median == 2)
        counts.note(1000)
        #expect(counts.median == 3)
    }
}
