/// The greatest depth of a queue in each of the last 120 tenths of a second: what a sparkline shows.
package struct DepthHistory: Sendable {
    package static let bucketNanoseconds: UInt64 = 100_000_000
    package static let bucketCount = 120

    /// By the bucket's number modulo the count; made with the first job. What the latest bucket has is in ``greatest`` while it is the
    /// latest.
    private var buckets: [UInt32] = []
    private var latest: UInt64 = 0
    /// When the latest bucket begins.
    private var start: UInt64 = 0
    /// The greatest depth in it.
    private var greatest: UInt32 = 0
    private var depth: UInt32 = 0

    init() {}

    /// Notes that from `time` on the queue has that depth.
    @inline(__always)
    mutating func note(depth: Int, at time: UInt64) {
        let depth = UInt32(truncatingIfNeeded: depth)
        let isInLatest = time &- start < Self.bucketNanoseconds && !buckets.isEmpty
        if isInLatest || reach(time) { greatest = max(greatest, depth) } else { noteLate(depth, at: time) }
        self.depth = depth
    }

    /// The depths up to `now`, oldest first, one a bucket; empty for an executor that never had a queue.
    package func depths(until now: UInt64) -> [UInt32] {
        guard !buckets.isEmpty else { return [] }
        var copy = self
        copy.reach(now)
        copy.buckets[Self.place(of: copy.latest)] = copy.greatest
        let first = copy.latest + 1
        return (0..<UInt64(Self.bucketCount)).map { copy.buckets[Self.place(of: first + $0)] }
    }

    /// Makes the bucket of that time the latest one. Returns false, and leaves it, if it is one of those before.
    @discardableResult
    private mutating func reach(_ time: UInt64) -> Bool {
        let bucket = time / Self.bucketNanoseconds
        if buckets.isEmpty {
            buckets = Array(repeating: 0, count: Self.bucketCount)
            latest = bucket
        }
        guard bucket >= latest else { return false }
        if bucket > latest {
            buckets[Self.place(of: latest)] = greatest
            for passed in 0..<min(bucket - latest, UInt64(Self.bucketCount)) { buckets[Self.place(of: bucket - passed)] = depth }
            greatest = depth
            latest = bucket
        }
        start = bucket * Self.bucketNanoseconds
        return true
    }

    /// A record that comes late counts in the oldest bucket if its own is gone.
    private mutating func noteLate(_ depth: UInt32, at time: UInt64) {
        let kept = UInt64(Self.bucketCount - 1)
        let place = Self.place(of: max(time / Self.bucketNanoseconds, latest > kept ? latest - kept : 0))
        buckets[place] = max(buckets[place], depth)
    }

    private static func place(of bucket: UInt64) -> Int {
        Int(bucket % UInt64(bucketCount))
    }
}
