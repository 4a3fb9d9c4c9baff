import TaskEvents
import TraceTransport

/// One executor's current state, read from the store's table. Valid until the next `apply`.
package struct ExecutorView {
    let store: TraceStore
    let state: UnsafePointer<ExecutorState>

    package var id: ExecutorID { ExecutorID(rawValue: state.pointee.id) }
    package var name: String { store.description(of: id).name }
    package var kind: ExecutorKind { store.description(of: id).kind }

    /// The number of bodies that began on this executor, from its queue or inline, and of closures without a task. Also the number of times
    /// that a Swift task came here without waiting: it entered an actor that was free, or left one.
    package var jobs: Int { state.pointee.jobs }

    /// The number of jobs in the queue.
    package var depth: Int { state.pointee.depth }
    package var maxDepth: Int { state.pointee.maxDepth }

    /// The number of queued jobs that a gate holds.
    package var heldCount: Int { state.pointee.held }

    /// The running jobs. For `immediate` and `default`, also the inline bodies.
    package var running: [RunningJob] { store.fold.lanes.running(on: state.pointee.id) }

    /// Nanoseconds that this executor's jobs have run, from their start to their return, on all threads together. Running jobs count up to
    /// now. For `immediate` and `default`, also the time of inline bodies. A body inside another one of the same executor adds nothing, so
    /// the busy time of an executor that runs one job at a time never exceeds the time of the trace. Nil if the times of jobs are not known.
    package var busy: UInt64? {
        isSampled ? nil : state.pointee.busy.plus(store.fold.lanes.unattributed(on: state.pointee.id, until: store.now))
    }

    /// The largest number of threads that ran jobs of this executor at a time. Of main and of an actor it is 1: a record of several short
    /// stays on an actor may come when another task has the actor already.
    package var threads: Int { store.description(of: id).isSerial ? 1 : max(1, state.pointee.mostThreads) }

    /// Whether the trace consists of snapshots. Two of them in which a task is queued, or runs, do not prove that it did so all the time
    /// between, so the times of jobs and of their waits are not known.
    package var isSampled: Bool { store.isSampled }

    /// The longest job, including running jobs. Nil before the first job, and if the times of jobs are not known.
    package var longestJob: LongestJob? {
        guard jobs > 0, !isSampled else { return nil }
        var longest = LongestJob(
            nanoseconds: state.pointee.longestJob, task: TaskID(rawValue: state.pointee.longestJobTask),
            label: EntryID(rawValue: state.pointee.longestJobLabel))
        for job in running where elapsed(of: job) > longest.nanoseconds {
            longest = LongestJob(nanoseconds: elapsed(of: job), task: job.task, label: job.label)
        }
        return longest
    }

    /// The queued jobs, in order.
    package var queue: QueuedJobs { QueuedJobs(store: store, node: state.pointee.head) }

    /// The longest finished wait in the queue. Nil before the first wait has ended, and if the times of waits are not known.
    package var worstWait: FinishedWait? {
        guard !isSampled else { return nil }
        let (nanoseconds, task, end) = state.pointee.worstWait
        return nanoseconds == 0 ? nil : FinishedWait(task: TaskID(rawValue: task), executor: id, end: end, nanoseconds: nanoseconds)
    }

    /// Empty if the times of waits are not known.
    package var waits: WaitTimes { isSampled ? WaitTimes() : state.pointee.waits }

    package var depthHistory: DepthHistory { state.pointee.depthHistory }

    private func elapsed(of job: RunningJob) -> UInt64 {
        store.now > job.since ? store.now - job.since : 0
    }
}

/// The job of an executor that took longest.
package struct LongestJob: Hashable, Sendable {
    package var nanoseconds: UInt64
    /// `.none` for a closure without a task.
    package var task: TaskID
    /// The name and the call site of a closure; `.none` for a task's job, and if unknown.
    package var label: EntryID
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
        let queued = store.fold.executors.queued.reading(node).pointee
        node = queued.next
        let task = store.fold.tasks.records.reading(queued.row)
        let hop = store.fold.tasks.hops.last(of: task, by: queued.since).map { store.fold.tasks.hops.records.reading($0).pointee }
        let from = hop.map { $0.to == queued.executor && $0.wait == nil ? $0.from : 0 } ?? 0
        return QueuedJob(task: TaskID(rawValue: task.pointee.id), since: queued.since, from: ExecutorID(rawValue: from))
    }
}

extension TraceStore {
    /// The executors that a task requested or that ran a job: the main executor first, then by id.
    package var executors: [ExecutorView] {
        executorIDs.compactMap { executor($0) }
    }

    /// The ids of ``executors``, in the same order. Executors that come later than the last call cost a sort, all others nothing.
    package var executorIDs: [ExecutorID] {
        executorOrder.follow(fold.executors)
        return executorOrder.ids
    }

    /// The first of ``executors``, as far as they are main executors; usually one.
    package var mainExecutors: [ExecutorView] {
        executorIDs.prefix { fold.executors.isMain($0.rawValue) }.compactMap { executor($0) }
    }

    /// The executors in the order of their first use, without the first `count`.
    package func usedExecutors(from count: Int) -> [ExecutorID] {
        fold.executors.used.dropFirst(count).map { ExecutorID(rawValue: $0) }
    }

    /// Nil for an executor that the trace does not use.
    package func executor(_ id: ExecutorID) -> ExecutorView? {
        reads.add(1)
        return fold.executors.find(id.rawValue).map { ExecutorView(store: self, state: UnsafePointer($0)) }
    }

    /// An executor's name and kind; `executor 7` and `custom` if the trace does not give them. The second executor of one name is `disk#2`.
    package func description(of id: ExecutorID) -> ExecutorDescription {
        guard var description = fold.executors.entries.executor(id) else {
            return ExecutorDescription(name: "executor \(id.rawValue)", kind: .custom)
        }
        executorNames.follow(fold.executors)
        description.name = executorNames.name(description.name, of: id)
        return description
    }

    /// The number of changes that all queues' depths ever had. For the latest state only: a state of the past does not have them.
    package var depthStepCount: Int { fold.executors.depthSteps.total }

    /// Calls `body` with the kept steps, as ``DepthSteps/read(from:limit:_:)`` does.
    package func readDepthSteps(from number: Int, limit: Int, _ body: (DepthStep) -> Void) -> Int {
        fold.executors.depthSteps.read(from: number, limit: limit, body)
    }
}
