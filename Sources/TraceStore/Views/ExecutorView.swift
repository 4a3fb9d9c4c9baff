import Histogram
import TaskEvents

/// One executor's current state, read from the store's table. Valid until the next `apply`.
package struct ExecutorView {
    let store: TraceStore
    let state: UnsafePointer<ExecutorState>

    package var id: ExecutorID { ExecutorID(rawValue: state.pointee.id) }
    package var name: String { store.description(of: id).name }
    package var kind: ExecutorKind { store.description(of: id).kind }

    /// The number of bodies that began on this executor, from its queue or inline, and of closures without a task. For actors, also the
    /// number of times that a task entered the actor without waiting.
    package var jobs: Int { state.pointee.jobs }

    /// The number of jobs in the queue.
    package var depth: Int { state.pointee.depth }
    package var maxDepth: Int { state.pointee.maxDepth }

    /// The number of queued jobs that a gate holds.
    package var heldCount: Int { state.pointee.held }

    /// The running jobs. For `immediate` and `default`, also the inline bodies.
    package var running: [RunningJob] { store.fold.running(on: state.pointee.id) }

    /// Nanoseconds that this executor's jobs have run, from their start to their return. Running jobs count up to now. For `immediate` and
    /// `default`, also the time of inline bodies.
    package var busy: UInt64 {
        running.reduce(state.pointee.busy) { $0 + elapsed(of: $1) }
    }

    /// The duration of the longest job, including running jobs.
    package var longestJob: UInt64 { longest.nanoseconds }

    /// The task of the longest job; `.none` for a closure without a task.
    package var longestJobTask: TaskID { longest.task }

    /// The name and the call site of the longest job; `.none` for a task's job, and if unknown.
    package var longestJobLabel: EntryID { longest.label }

    /// The queued jobs, in order.
    package var queue: QueuedJobs { QueuedJobs(store: store, node: state.pointee.head) }

    /// The longest finished wait in the queue. Nil before the first wait has ended.
    package var worstWait: FinishedWait? {
        let (nanoseconds, task, end) = state.pointee.worstWait
        return nanoseconds == 0 ? nil : FinishedWait(task: TaskID(rawValue: task), executor: id, end: end, nanoseconds: nanoseconds)
    }

    package var waits: WaitTimes { state.pointee.waits }

    package var depthHistory: DepthHistory { state.pointee.depthHistory }

    private var longest: (nanoseconds: UInt64, task: TaskID, label: EntryID) {
        var longest = (
            nanoseconds: state.pointee.longestJob, task: TaskID(rawValue: state.pointee.longestJobTask),
            label: EntryID(rawValue: state.pointee.longestJobLabel)
        )
        for job in running where elapsed(of: job) > longest.nanoseconds { longest = (elapsed(of: job), job.task, job.label) }
        return longest
    }

    private func elapsed(of job: RunningJob) -> UInt64 {
        store.now > job.since ? store.now - job.since : 0
    }
}

/// The wait of a job in a queue, from its enqueuing to its start.
package struct FinishedWait: Hashable, Sendable {
    package var task: TaskID
    package var executor: ExecutorID
    package var end: UInt64
    package var nanoseconds: UInt64

    package var start: UInt64 { end - nanoseconds }
}

/// A job in a queue.
package struct QueuedJob: Hashable, Sendable {
    package var task: TaskID
    package var since: UInt64
    /// The executor whose job enqueued this one; `.none` for a root, or from a thread without an executor.
    package var from: ExecutorID
}

/// A queue from its head on. Elements are created during iteration.
package struct QueuedJobs: Sequence, IteratorProtocol {
    private let store: TraceStore
    private var node: Int32

    init(store: TraceStore, node: Int32) {
        self.store = store
        self.node = node
    }

    package mutating func next() -> QueuedJob? {
        guard node >= 0 else { return nil }
        let queued = store.fold.queued.reading(node).pointee
        node = queued.next
        let task = store.fold.tasks.reading(queued.row)
        let hop = store.fold.lastHop(of: task, by: queued.since).map { store.fold.hops.reading($0).pointee }
        let from = hop.map { $0.to == queued.executor && $0.wait == nil ? $0.from : 0 } ?? 0
        return QueuedJob(task: TaskID(rawValue: task.pointee.id), since: queued.since, from: ExecutorID(rawValue: from))
    }
}

/// The times that jobs waited in a queue before they ran, in nanoseconds, with a relative error of at most a thousandth.
package struct WaitTimes: Sendable {
    private var histogram: Histogram<UInt32>?

    package init() {}

    package mutating func record(_ wait: UInt64) {
        // The histogram's memory grows with the longest wait, so waits are capped at an hour.
        let wait = min(wait, 3_600_000_000_000)
        // Optional chaining tests for nil without copying the histogram; a comparison would copy it.
        guard histogram?.record(wait) == nil else { return }
        histogram = Histogram(numberOfSignificantValueDigits: .three)
        histogram?.record(wait)
    }

    var bytes: Int { histogram?.estimatedFootprintInBytes ?? 0 }
    package var count: Int { Int(histogram?.totalCount ?? 0) }
    package var p50: UInt64? { percentile(50) }
    package var p99: UInt64? { percentile(99) }

    /// The longest wait.
    package var max: UInt64? { count > 0 ? histogram?.maxRecorded : nil }

    /// Calls `body` with each recorded duration and the number of waits of that duration, the shortest first.
    package func read(_ body: (_ nanoseconds: UInt64, _ count: UInt64) -> Void) {
        guard let histogram else { return }
        for recorded in histogram.recordedValues() { body(recorded.value, UInt64(recorded.count)) }
    }

    /// The shortest wait that at least `percent` percent of the waits did not exceed; nil before the first wait.
    package func percentile(_ percent: Double) -> UInt64? {
        guard let histogram, histogram.totalCount > 0 else { return nil }
        return min(histogram.valueAtPercentile(percent), histogram.maxRecorded)
    }
}
