import TaskEvents
import TraceFile
import TraceStore

/// What runs on each thread, and which threads block, by the events: what the store's table does not keep.
package struct ThreadJobs {
    /// A job that was taken from an executor's queue and has not come back: a chain's, or a slice of a Swift task, which ends where the task
    /// suspends.
    struct Job: Hashable {
        /// `.none` for a closure that is no task's.
        var task: TaskID
        var executor: ExecutorID
        var since: UInt64
        var lane: Int
        var isSlice = false
        /// Of a Swift task, as the runtime counts it; 0 where that is not known.
        var priority: UInt8 = 0
    }

    /// A job that waits in an executor's queue.
    struct Queued: Hashable {
        var executor: ExecutorID
        var since: UInt64
        /// As in ``Job``.
        var priority: UInt8
    }

    /// A thread that blocks until a task has ended, or in a wait of another sort.
    struct Wait: Hashable {
        /// `.none` where it is no task that it waits for.
        var task: TaskID
        /// The task whose body blocks, `.none` outside of every body.
        var waiter: TaskID
        /// The job that the thread is running; nil on a thread of no executor.
        var job: Job?
        var since: UInt64
        var lane: Int
    }

    private struct Lane {
        var jobs: [Job] = []
        var wait: Wait?
        /// The slice that has just ended there: what it awaited may be there already.
        var endedSlice: Job?
    }

    /// What is known of one executor.
    private struct Executor {
        var running: [Job] = []
        /// The most that were ever seen to run at a time.
        var mostRunning = 0
        /// Since when all of its running jobs have been blocking; nil while one does not, or none runs.
        var blockedSince: UInt64?
    }

    private var lanes: [Lane] = []
    /// Which lane stands for the thread that has a lane: the probe and the program's own runtime have one each.
    private var firstLanes: [Int] = []
    /// The lane that stands for each thread, by the kernel's number of it.
    private var threads: [UInt64: Int] = [:]
    private var executors: [Executor] = []
    private var queued: [TaskID: Queued] = [:]

    // MARK: What is known

    /// The lane that stands for a lane's thread.
    func firstLane(of lane: Int) -> Int {
        firstLanes.indices.contains(lane) ? firstLanes[lane] : lane
    }

    /// The jobs of an executor that run, in the order of their beginning.
    func jobs(on executor: ExecutorID) -> [Job] {
        find(executor)?.running ?? []
    }

    /// The most jobs of an executor that were ever seen to run at a time.
    func mostJobs(on executor: ExecutorID) -> Int {
        find(executor)?.mostRunning ?? 0
    }

    /// Since when every job that the executor runs has been waiting for a task; nil if one does not, or it runs none.
    func blockedSince(_ executor: ExecutorID) -> UInt64? {
        find(executor)?.blockedSince
    }

    /// The executors whose threads all block.
    var blockedExecutors: [ExecutorID] {
        executors.indices.filter { executors[$0].blockedSince != nil }.map { ExecutorID(rawValue: UInt16($0)) }
    }

    /// The job that this `jobEnded` ends.
    func job(endedBy event: TaskEvent, lane: Int) -> Job? {
        let lane = firstLane(of: lane)
        guard lanes.indices.contains(lane) else { return nil }
        return lanes[lane].jobs.last { $0.task == event.task && $0.executor == event.executor }
    }

    /// The slice that this event ends: its task suspends, or ends.
    func slice(endedBy event: TaskEvent, lane: Int) -> Job? {
        let lane = firstLane(of: lane)
        guard lanes.indices.contains(lane), let job = lanes[lane].jobs.last, job.isSlice, job.task == event.task else { return nil }
        return job
    }

    /// Where a task's job waits for its turn; nil if it does not.
    func place(of task: TaskID) -> Queued? {
        queued[task]
    }

    /// The innermost job on that thread.
    func job(on lane: Int) -> Job? {
        let lane = firstLane(of: lane)
        return lanes.indices.contains(lane) ? lanes[lane].jobs.last : nil
    }

    /// The wait of that thread.
    func wait(on lane: Int) -> Wait? {
        let lane = firstLane(of: lane)
        return lanes.indices.contains(lane) ? lanes[lane].wait : nil
    }

    /// All threads that block, by lane.
    var waits: [Wait] { lanes.compactMap(\.wait) }

    /// The job of a task that has not come back, on whatever thread.
    func job(of task: TaskID) -> Job? {
        for lane in lanes {
            if let job = lane.jobs.first(where: { $0.task == task }) { return job }
        }
        return nil
    }

    private func find(_ executor: ExecutorID) -> Executor? {
        executors.indices.contains(Int(executor.rawValue)) ? executors[Int(executor.rawValue)] : nil
    }

    // MARK: Events

    /// The kinds that ``apply(_:lane:)`` learns from.
    static let kinds: UInt32 = [
        EventKind.enqueued, .started, .suspended, .resumed, .jobEnded, .completed, .faulted, .cancelled, .waitBegan, .waitEnded, .thread,
        .lost,
    ]
    .reduce(0) { $0 | 1 << UInt32($1.rawValue) }

    mutating func apply(_ event: TaskEvent, lane: Int) {
        if event.kind == .lost, lane == Int(TraceBatch.noLane) { return interruptAll() }
        while lanes.count <= lane {
            firstLanes.append(lanes.count)
            lanes.append(Lane())
        }
        if event.kind == .thread { return take(lane, thread: event.other) }
        let lane = firstLanes[lane]
        switch event.kind {
        case .enqueued: queued[event.task] = Queued(executor: event.executor, since: event.time, priority: event.detail)
        case .started where StartManner(rawValue: event.detail)?.isDequeued == true: begin(event, lane: lane)
        case .jobEnded: end(event, lane: lane)
        case .suspended: endSlice(event, lane: lane)
        case .completed, .faulted, .cancelled:
            if !queued.isEmpty { queued[event.task] = nil }
            endSlice(event, lane: lane)
        case .resumed: resumeSlice(event, lane: lane)
        case .waitBegan:
            let job = lanes[lane].jobs.last
            lanes[lane].wait = Wait(task: event.task, waiter: event.otherTask, job: job, since: event.time, lane: lane)
            if let job { noteBlocking(of: job.executor, at: event.time) }
        case .waitEnded: endWait(on: lane)
        case .lost:
            interrupt(lane)
            queued.removeAll(keepingCapacity: true)
        case _: break
        }
    }

    /// A thread takes a lane, which may be its second.
    private mutating func take(_ lane: Int, thread: UInt64) {
        threads = threads.filter { $0.value != lane }
        let first = threads[thread] ?? lane
        firstLanes[lane] = first
        threads[thread] = first
        if first == lane { interrupt(lane) }
    }

    private mutating func begin(_ event: TaskEvent, lane: Int) {
        let place = queued.removeValue(forKey: event.task)
        let isSlice = event.detail == StartManner.slice.rawValue
        begin(
            Job(
                task: event.task, executor: event.executor, since: event.time, lane: lane, isSlice: isSlice,
                priority: isSlice ? place?.priority ?? 0 : 0))
    }

    private mutating func begin(_ job: Job) {
        lanes[job.lane].jobs.append(job)
        let index = Int(job.executor.rawValue)
        while executors.count <= index { executors.append(Executor()) }
        executors[index].running.append(job)
        executors[index].mostRunning = max(executors[index].mostRunning, executors[index].running.count)
        executors[index].blockedSince = nil
    }

    private mutating func end(_ event: TaskEvent, lane: Int) {
        guard let place = lanes[lane].jobs.lastIndex(where: { $0.task == event.task && $0.executor == event.executor }) else { return }
        stop(lanes[lane].jobs.remove(at: place))
    }

    private mutating func endSlice(_ event: TaskEvent, lane: Int) {
        guard let job = slice(endedBy: event, lane: lane) else { return }
        lanes[lane].jobs.removeLast()
        lanes[lane].endedSlice = job
        stop(job)
    }

    /// What a slice awaited has come while it was about to suspend: it goes on where it is.
    private mutating func resumeSlice(_ event: TaskEvent, lane: Int) {
        guard var job = lanes[lane].endedSlice, job.task == event.task else { return }
        lanes[lane].endedSlice = nil
        job.since = event.time
        begin(job)
    }

    private mutating func stop(_ job: Job) {
        let index = Int(job.executor.rawValue)
        guard executors.indices.contains(index), let place = executors[index].running.lastIndex(of: job) else { return }
        executors[index].running.remove(at: place)
        executors[index].blockedSince = nil
    }

    private mutating func endWait(on lane: Int) {
        guard let wait = lanes[lane].wait else { return }
        lanes[lane].wait = nil
        if let job = wait.job, executors.indices.contains(Int(job.executor.rawValue)) {
            executors[Int(job.executor.rawValue)].blockedSince = nil
        }
    }

    private mutating func noteBlocking(of executor: ExecutorID, at time: UInt64) {
        guard executors.indices.contains(Int(executor.rawValue)) else { return }
        let isBlocked = executors[Int(executor.rawValue)].running.allSatisfy { lanes[$0.lane].wait != nil }
        executors[Int(executor.rawValue)].blockedSince = isBlocked ? time : nil
    }

    /// What ran there may have ended unseen.
    private mutating func interrupt(_ lane: Int) {
        for job in lanes[lane].jobs { stop(job) }
        lanes[lane] = Lane()
    }

    /// Events of all threads are missing.
    mutating func interruptAll() {
        for lane in lanes.indices { interrupt(lane) }
        queued.removeAll(keepingCapacity: true)
    }
}
