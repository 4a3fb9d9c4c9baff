import TaskEvents

/// The depth of an executor's queue from a time on.
package struct DepthStep: Hashable, Sendable {
    /// Nanoseconds from the trace's start.
    package var at: UInt64
    package var executor: ExecutorID
    package var depth: UInt32

    package init(at: UInt64, executor: ExecutorID, depth: UInt32) {
        self.at = at
        self.executor = executor
        self.depth = depth
    }
}

/// The latest changes of all queues' depths, in the order of their events.
struct DepthSteps {
    /// At least as many of the latest steps are kept, and at most twice as many.
    static let limit = 1 << 17

    /// The steps before those of ``newer``. When that list is full, it takes their place.
    private var older: ContiguousArray<DepthStep> = []
    private var newer: ContiguousArray<DepthStep> = []
    /// The number of steps ever added.
    private(set) var total = 0

    @inline(__always)
    mutating func append(_ step: DepthStep) {
        if newer.count == Self.limit { forgetOlder() }
        newer.append(step)
        total += 1
    }

    @inline(never)
    private mutating func forgetOlder() {
        swap(&older, &newer)
        newer.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with the kept steps from `number` on, counted from 0, and at most `limit` of them. Returns the number of the first step
    /// that was read: later than `number` if older steps are not kept.
    func read(from number: Int, limit: Int, _ body: (DepthStep) -> Void) -> Int {
        let oldest = total - newer.count - older.count
        let first = max(number, oldest)
        let early = older.dropFirst(first - oldest).prefix(limit)
        for step in early { body(step) }
        for step in newer.dropFirst(max(0, first - oldest - older.count)).prefix(limit - early.count) { body(step) }
        return first
    }
}
