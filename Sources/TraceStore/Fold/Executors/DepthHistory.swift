/// The greatest depth of a queue in each of the last 120 tenths of a second, for a sparkline.
package struct DepthHistory: Sendable {
    package static let bucketNanoseconds: UInt64 = 100_000_000
    package static let bucketCount = 120

    /// Indexed by the bucket's number modulo the count. Allocated with the first job. The latest bucket's depth is in ``greatest`` until
    /// the next bucket begins.
    private var buckets: [UInt32] = []
    private var latest: UInt64 = 0
    /// The time at which the latest bucket begins.
    private var start: UInt64 = 0
    /// The greatest depth in the latest bucket.
    private var greatest: UInt32 = 0
    private var depth: UInt32 = 0

    init() {}

    /// Records that the queue has this depth from `time` on.
    @inline(__always)
    mutating func record(depth: Int, at time: UInt64) {
        let depth = UInt32(truncatingIfNeeded: depth)
        let isInLatest = time &- start < Self.bucketNanoseconds && !buckets.isEmpty
        if isInLatest || reach(time) { greatest = max(greatest, depth) } else { recordLate(depth, at: time) }
        self.depth = depth
    }

    /// The depths up to `now`, one per bucket, oldest first; empty for an executor that never had a queue.
    package func depths(until now: UInt64) -> [UInt32] {
        guard !buckets.isEmpty else { return [] }
        var copy = self
        copy.reach(now)
        copy.buckets[Self.index(of: copy.latest)] = copy.greatest
        let first = copy.latest + 1
        return (0..<UInt64(Self.bucketCount)).map { copy.buckets[Self.index(of: first + $0)] }
    }

    /// Makes the bucket of `time` the latest one. Returns false and changes nothing if that bucket is an earlier one.
    @discardableResult
    private mutating func reach(_ time: UInt64) -> Bool {
        let bucket = time / Self.bucketNanoseconds
        if buckets.isEmpty {
            buckets = Array(repeating: 0, count: Self.bucketCount)
            latest = bucket
        }
        guard bucket >= latest else { return false }
        if bucket > latest {
            buckets[Self.index(of: latest)] = greatest
            for passed in 0..<min(bucket - latest, UInt64(Self.bucketCount)) { buckets[Self.index(of: bucket - passed)] = depth }
            greatest = depth
            latest = bucket
        }
        start = bucket * Self.bucketNanoseconds
        return true
    }

    /// Counts a late record in its own bucket, or in the oldest one if its own is gone.
    private mutating func recordLate(_ depth: UInt32, at time: UInt64) {
        let kept = UInt64(Self.bucketCount - 1)
        let index = Self.index(of: max(time / Self.bucketNanoseconds, latest > kept ? latest - kept : 0))
        buckets[index] = max(buckets[index], depth)
    }

    private static func index(of bucket: UInt64) -> Int {
        Int(bucket % UInt64(bucketCount))
    }
}
