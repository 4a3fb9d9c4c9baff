/// The mean and the greatest depth of a queue in each of the last 120 tenths of a second, for a chart.
package struct DepthHistory: Sendable {
    package static let bucketNanoseconds: UInt64 = 100_000_000
    package static let bucketCount = 120

    /// Indexed by the bucket's number modulo the count. Allocated with the first job. The latest bucket's depth is in ``greatest`` until
    /// the next bucket begins.
    private var buckets: [UInt32] = []
    /// The sums of depth and nanoseconds in each bucket, and that of the latest bucket up to `since`.
    private var sums: [UInt64] = []
    private var sum: UInt64 = 0
    private var since: UInt64 = 0
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
        if time > since {
            sum &+= UInt64(self.depth) &* (time &- since)
            since = time
        }
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

    /// The mean depths up to `now`, one per bucket, oldest first; empty for an executor that never had a queue.
    package func means(until now: UInt64) -> [Double] {
        guard !buckets.isEmpty else { return [] }
        var copy = self
        copy.record(depth: Int(copy.depth), at: now)
        copy.sums[Self.index(of: copy.latest)] = copy.sum
        let last = Double(max(1, min(now &- copy.start, Self.bucketNanoseconds)))
        let first = copy.latest + 1
        return (0..<UInt64(Self.bucketCount)).map { number in
            let sum = Double(copy.sums[Self.index(of: first + number)])
            return sum / (number + 1 == UInt64(Self.bucketCount) ? last : Double(Self.bucketNanoseconds))
        }
    }

    /// The mean depth in the last ten whole tenths of a second before `now`.
    package func meanOfLastSecond(until now: UInt64) -> Double {
        means(until: now).dropLast().suffix(10).reduce(0, +) / 10
    }

    /// Makes the bucket of `time` the latest one. Returns false and changes nothing if that bucket is an earlier one.
    @discardableResult
    private mutating func reach(_ time: UInt64) -> Bool {
        let bucket = time / Self.bucketNanoseconds
        if buckets.isEmpty {
            buckets = Array(repeating: 0, count: Self.bucketCount)
            sums = Array(repeating: 0, count: Self.bucketCount)
            latest = bucket
            since = time
        }
        guard bucket >= latest else { return false }
        if bucket > latest {
            buckets[Self.index(of: latest)] = greatest
            let end = (latest + 1) * Self.bucketNanoseconds
            sums[Self.index(of: latest)] = sum &+ (end > since ? UInt64(depth) &* (end - since) : 0)
            for passed in 0..<min(bucket - latest, UInt64(Self.bucketCount)) {
                buckets[Self.index(of: bucket - passed)] = depth
                sums[Self.index(of: bucket - passed)] = UInt64(depth) &* Self.bucketNanoseconds
            }
            (sum, since) = (0, max(since, bucket * Self.bucketNanoseconds))
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
