import TaskEvents
import TraceStore

/// The meaning of a timeline's lanes.
package enum SwimlaneGrouping: Hashable, Sendable {
    /// One lane per serial executor, and one for each thread of a pool.
    case executors
    /// One lane per thread.
    case threads
}

/// The lanes of a timeline, and their jobs. It follows the store: each call of ``catchUp(with:limit:)`` costs by the new jobs.
///
/// The main executor and actors are serial. For other queues the trace does not say, so a queue has one lane until two of its jobs run at
/// once on different threads. Pools have a lane for each thread. Lanes stay in the order in which the executors were first used, the main
/// executor first.
package struct SwimIndex {
    /// The number of jobs, and of changes of a queue's depth, that are kept.
    package static let limit = 1 << 17
    /// The shortest wait in nanoseconds for which an executor gets a line for its queue, if no two jobs ever waited there at once.
    private static let shortestWait: UInt64 = 1_000_000

    package let grouping: SwimlaneGrouping
    /// The lines of the timeline, from the top.
    package private(set) var rows: [SwimTrack.ID] = []
    /// Jobs that ended before this time are not kept. Nil if all are.
    package private(set) var forgotten: UInt64?

    private var lanes: [ExecutorLanes] = []
    /// The index in `lanes` of each executor, by the executor's number.
    private var indices: [ExecutorID: Int] = [:]
    /// The executors and threads of the kept jobs, and the executors of the kept steps, oldest first.
    private var keptJobs = SummaryTree<NoSummary<JobOwner>>()
    private var keptSteps = SummaryTree<NoSummary<Int>>()
    private var seen = (jobs: 0, steps: 0, executors: 0)
    private var isChanged = false
    /// Executors whose only waiting job may turn out to wait long.
    private var waiting: Set<Int> = []

    private struct JobOwner {
        var lanes: Int
        var lane: UInt16
    }

    package init(_ grouping: SwimlaneGrouping) {
        self.grouping = grouping
    }

    /// Whether there is nothing more to take from the store.
    package func isUpToDate(with store: TraceStore) -> Bool {
        seen.jobs == store.jobs.total && seen.steps == store.depthStepCount
    }

    package func index(of id: SwimTrack.ID) -> Int? {
        guard let index = indices[id.executor], let first = lanes[index].firstRow else { return nil }
        return rows[first...].prefix { $0.executor == id.executor }.firstIndex(of: id)
    }

    /// The row on which an executor's jobs of this thread are.
    package func row(of executor: ExecutorID, lane: Int) -> Int? {
        switch grouping {
        case .threads: index(of: .thread(.none, lane: lane))
        case .executors: index(of: .executor(executor)) ?? index(of: .thread(executor, lane: lane))
        }
    }

    func firstRow(of executor: ExecutorID) -> Int? {
        indices[executor].flatMap { lanes[$0].firstRow }
    }

    package func neighbour(of job: JobRecord, on id: SwimTrack.ID, isNext: Bool) -> JobRecord? {
        jobs(of: id)?.neighbour(of: job, isNext: isNext)
    }

    /// The task's job that began at `start` on an executor and a thread.
    package func job(of task: TaskID, startedAt start: UInt64, on executor: ExecutorID, lane: Int) -> JobRecord? {
        row(of: executor, lane: lane).flatMap { jobs(of: rows[$0])?.job(of: task, startedAt: start) }
    }

    func jobs(of id: SwimTrack.ID) -> JobLine? {
        indices[id.executor].flatMap { lanes[$0].jobs(of: id) }
    }

    /// The depths of an executor's queue, and whether earlier ones are not kept.
    func depths(of executor: ExecutorID) -> (line: DepthLine, isCut: Bool)? {
        indices[executor].map { (lanes[$0].depths, lanes[$0].depthsAreCut) }
    }

    // MARK: Following the store

    /// Takes at most `limit` new jobs and as many changes of queues.
    package mutating func catchUp(with store: TraceStore, limit: Int) {
        if seen.jobs > store.jobs.total { self = SwimIndex(grouping) }
        takeExecutors(store)
        takeJobs(store, limit)
        takeSteps(store, limit)
        noteRunning(store)
        if isChanged { order(store) }
    }

    private mutating func takeExecutors(_ store: TraceStore) {
        guard grouping == .executors else { return }
        for id in store.usedExecutors(from: seen.executors) {
            seen.executors += 1
            index(of: id, store)
        }
    }

    @discardableResult
    private mutating func index(of id: ExecutorID, _ store: TraceStore) -> Int {
        if let index = indices[id] { return index }
        indices[id] = lanes.count
        lanes.append(ExecutorLanes(id, grouping == .threads ? .pool : Concurrency(store.description(of: id).kind)))
        isChanged = true
        return lanes.count - 1
    }

    private mutating func takeJobs(_ store: TraceStore, _ limit: Int) {
        var new: [JobRecord] = []
        let first = store.jobs.read(from: seen.jobs, limit: limit) { new.append($0) }
        if first > seen.jobs {
            // Jobs in between are gone, and the earlier ones are before them.
            while !keptJobs.isEmpty { forgetJob() }
            forgotten = max(forgotten ?? 0, store.jobs.oldest ?? 0)
        }
        for job in new {
            let index = index(of: grouping == .threads ? .none : job.executor, store)
            if lanes[index].add(job) { isChanged = true }
            keptJobs.append(JobOwner(lanes: index, lane: job.lane))
            if keptJobs.end - keptJobs.first > Self.limit { forgetJob() }
        }
        seen.jobs = first + new.count
    }

    private mutating func forgetJob() {
        let index = keptJobs[keptJobs.first]
        keptJobs.removeFirst()
        guard let job = lanes[index.lanes].removeFirst(lane: Int(index.lane)) else { return }
        forgotten = max(forgotten ?? 0, job.until)
    }

    private mutating func takeSteps(_ store: TraceStore, _ limit: Int) {
        guard grouping == .executors else {
            seen.steps = store.depthStepCount
            return
        }
        var new: [DepthStep] = []
        let first = store.readDepthSteps(from: seen.steps, limit: limit) { new.append($0) }
        if first > seen.steps {
            while !keptSteps.isEmpty { forgetStep() }
            for index in lanes.indices { lanes[index].depthsAreCut = true }
        }
        for step in new {
            let index = index(of: step.executor, store)
            let before = lanes[index].depths.last
            lanes[index].add(step)
            keptSteps.append(index)
            if keptSteps.end - keptSteps.first > Self.limit { forgetStep() }
            let hasWaited = before.map { $0.depth > 0 && step.at >= $0.at && step.at - $0.at >= Self.shortestWait } ?? false
            if step.depth > 1 || hasWaited { showQueue(index) }
            if step.depth == 1, !lanes[index].showsQueue { waiting.insert(index) }
        }
        seen.steps = first + new.count
        for index in waiting {
            guard let last = lanes[index].depths.last, last.depth > 0, !lanes[index].showsQueue else {
                waiting.remove(index)
                continue
            }
            if store.now > last.at, store.now - last.at >= Self.shortestWait { showQueue(index) }
        }
    }

    private mutating func forgetStep() {
        let index = keptSteps[keptSteps.first]
        keptSteps.removeFirst()
        lanes[index].removeFirstStep()
    }

    private mutating func showQueue(_ index: Int) {
        waiting.remove(index)
        guard !lanes[index].showsQueue else { return }
        lanes[index].showsQueue = true
        isChanged = true
    }

    /// Makes the lanes of running jobs, which are not among the ended ones.
    private mutating func noteRunning(_ store: TraceStore) {
        var known: [Int: Int] = [:]
        for (executor, job) in store.running {
            let index = index(of: grouping == .threads ? .none : executor, store)
            if lanes[index].noteRunning(on: job.lane, besides: known[index]) { isChanged = true }
            known[index] = job.lane
        }
    }

    private mutating func order(_ store: TraceStore) {
        isChanged = false
        rows.removeAll(keepingCapacity: true)
        let isMain = lanes.map { store.description(of: $0.executor).kind == .main }
        for index in lanes.indices.filter({ isMain[$0] }) + lanes.indices.filter({ !isMain[$0] }) {
            lanes[index].firstRow = rows.count
            rows += lanes[index].rows
        }
    }
}

/// No summary: a ``SummaryTree`` as a plain queue.
struct NoSummary<Element>: ElementSummary {
    init(_ element: Element, number: Int) {}
    mutating func add(_ later: NoSummary) {}
}
