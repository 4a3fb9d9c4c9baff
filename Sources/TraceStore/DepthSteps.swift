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

    private(set) var steps: ContiguousArray<DepthStep> = []
    /// The number of steps ever added.
    private(set) var total = 0

    @inline(__always)
    mutating func append(_ step: DepthStep) {
        if steps.count == 2 * Self.limit { steps.removeFirst(Self.limit) }
        steps.append(step)
        total += 1
    }
}

extension TraceStore {
    /// The number of changes that all queues' depths ever had. For the latest state only: a state of the past does not have them.
    package var depthStepCount: Int { fold.depthSteps.total }

    /// Calls `body` with the kept steps from `number` on, counted from 0, and at most `limit` of them. Returns the number of the first step
    /// that was read: later than `number` if older steps are not kept.
    package func readDepthSteps(from number: Int, limit: Int, _ body: (DepthStep) -> Void) -> Int {
        let steps = fold.depthSteps
        let first = max(number, steps.total - steps.steps.count)
        for step in steps.steps.dropFirst(first - (steps.total - steps.steps.count)).prefix(limit) { body(step) }
        return first
    }

    /// All running bodies, each with its executor, by thread.
    package var running: [(executor: ExecutorID, job: RunningJob)] { fold.running }
}
