import TaskEvents
import Testing

@Suite struct InlineHopsTests {
    @Test(
        "A record of hops keeps its executor, its count and its time, in steps of 4 ns",
        arguments: [
            InlineHops(from: ExecutorID(rawValue: 0), count: 1),
            InlineHops(from: ExecutorID(rawValue: 7), count: 1, nanoseconds: 200_000_000),
            InlineHops(from: ExecutorID(rawValue: .max), count: 1023, nanoseconds: 1_000_000_000_000),
        ])
    func roundTrip(hops: InlineHops) {
        #expect(InlineHops(hops.other) == hops)
    }

    @Test("What has no room in a record is told as the most that has, and changes no other part")
    func limits() {
        let hops = InlineHops(InlineHops(from: ExecutorID(rawValue: 7), count: .max, nanoseconds: .max).other)
        let limit = (UInt64.max >> 26) * 4
        #expect(hops == InlineHops(from: ExecutorID(rawValue: 7), count: 1023, nanoseconds: limit))
        #expect(InlineHops(.max).nanoseconds == limit)
    }
}
