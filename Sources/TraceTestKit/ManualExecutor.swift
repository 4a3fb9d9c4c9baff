import TaskEvents
import TaskRuntime

/// An executor whose jobs run when the test calls it, on the calling thread. Any thread may add jobs.
package final class ManualExecutor: Sendable {
    private final class Queue: Sendable {
        let jobs = Guarded<[@Sendable () -> Void]>([])
    }

    package let executor: ChainExecutor
    private let queue: Queue

    package init(name: String = "manual") {
        let queue = Queue()
        self.queue = queue
        // The executor holds the queue instead of this object, because a test may release this object before the tasks that use it.
        executor = ChainExecutor.custom(name: name) { job in queue.jobs.withLock { $0.append(job) } }
    }

    /// The number of waiting jobs.
    package var count: Int { queue.jobs.withLock { $0.count } }

    /// Runs the oldest job; returns false if there is none.
    @discardableResult
    package func runNext() -> Bool {
        guard let job = queue.jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        job()
        return true
    }

    /// Runs jobs in order until none is left, including jobs added meanwhile. Returns their number.
    @discardableResult
    package func runAll() -> Int {
        var ran = 0
        while runNext() { ran += 1 }
        return ran
    }

    /// Releases the waiting jobs without running them.
    package func dropAll() {
        _ = queue.jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
    }
}
