/// The greatest depth of a queue in each of the last 120 tenths of a second: what a sparkline shows.
package struct DepthHistory: Sendable {
    package static let bucketNanoseconds: UInt64 = 100_000_000
    package static let bucketCount = 120

    /// By the bucket's number modulo the count; made with the first job.
    private var buckets: [UInt32] = []
    private var latest: UInt64 = 0
    private var depth: UInt32 = 0

    init() {}

    /// Notes that from `time` on the queue has that depth.
    mutating func note(depth: Int, at time: UInt64) {
        if buckets.isEmpty {
            buckets = Array(repeating: 0, count: Self.bucketCount)
            latest = time / Self.bucketNanoseconds
        }
        reach(time / Self.bucketNanoseconds)
        self.depth = UInt32(clamping: depth)
        // A record that comes late counts in the latest bucket if its own is gone.
        let kept = UInt64(Self.bucketCount - 1)
        let bucket = max(time / Self.bucketNanoseconds, latest > kept ? latest - kept : 0)
        let place = Int(bucket % UInt64(Self.bucketCount))
        buckets[place] = max(buckets[place], self.depth)
    }

    /// The depths up to `now`, oldest first, one a bucket; empty for an executor that never had a queue.
    package func depths(until now: UInt64) -> [UInt32] {
        guard !buckets.isEmpty else { return [] }
        var copy = self
        copy.reach(now / Self.bucketNanoseconds)
        let first = copy.latest + 1
        return (0..<UInt64(Self.bucketCount)).map { copy.buckets[Int((first + $0) % UInt64(Self.bucketCount))] }
    }

    private mutating func reach(_ bucket: UInt64) {
        guard bucket > latest else { return }
        let count = UInt64(Self.bucketCount)
        for passed in 0..<min(bucket - latest, count) { buckets[Int((bucket - passed) % count)] = depth }
        latest = bucket
    }
}
