import TaskEvents
import TraceTransport

/// The running job and the wait of each thread, derived from the events. The store's tables do not keep these.
package struct ThreadJobs {
    /// A job that left an executor's queue and has not returned: a chain's job, or a slice of a Swift task, which ends where the task
    /// suspends.
    struct Job: Hashable {
        /// `.none` for a closure without a task.
        var task: TaskID
        var executor: ExecutorID
        var since: UInt64
        var lane: Int
        var isSlice = false
        /// A Swift task's priority on the runtime's scale. 0 if unknown.
        var priority: UInt8 = 0
        /// The name and call site of a closure without a task.
        var closure = EntryID.none
    }

    /// A job that waits in an executor's queue.
    struct Queued: Hashable {
        var executor: ExecutorID
        var since: UInt64
        /// The same scale as in ``Job``.
        var priority: UInt8
    }

    /// A thread that blocks until a task has ended, or in a wait of another kind.
    struct Wait: Hashable {
        /// `.none` if the thread waits for something other than a task.
        var task: TaskID
        /// The task whose body blocks. `.none` outside every body.
        var waiter: TaskID
        /// The job that the thread runs. Nil on a thread without an executor.
        var job: Job?
        var since: UInt64
        var lane: Int
        /// The place of the call that blocks. `.none` if unknown.
        var site: EntryID = .none
    }

    struct Lane {
        var jobs: [Job] = []
        var wait: Wait?
        /// The stay of the running slice on an executor that it took without waiting, if an event showed it.
        var stay: Stay?
        /// The slice that just ended on this thread. It may go on at once, if the awaited value has already arrived.
        var endedSlice: Job?
    }

    /// The facts about one executor.
    private struct Executor {
        var running: [Job] = []
        /// The time since which all of its running jobs block. Nil while one does not block, or while none runs.
        var blockedSince: UInt64?
    }

    private(set) var lanes: [Lane] = []
    /// By lane, the lane that stands for the same thread. The probe and the program's own runtime each have a lane per thread.
    private var firstLanes: [Int] = []
    /// The lane that stands for each thread, by the kernel's thread number.
    private var threads: [UInt64: Int] = [:]
    private var executors: [Executor] = []
    private var queued = TaskMap<Queued>()

    // MARK: State

    /// The lane that stands for the thread of this lane.
    func firstLane(of lane: Int) -> Int {
        firstLanes.indices.contains(lane) ? firstLanes[lane] : lane
    }

    /// The running jobs of an executor, in the order of their starts.
    func jobs(on executor: ExecutorID) -> [Job] {
        find(executor)?.running ?? []
    }

    /// The time since which all of the executor's running jobs block on tasks. Nil if one does not block, or if none runs.
    func blockedSince(_ executor: ExecutorID) -> UInt64? {
        find(executor)?.blockedSince
    }

    /// The executors whose threads all block.
    var blockedExecutors: [ExecutorID] {
        executors.indices.filter { executors[$0].blockedSince != nil }.map { ExecutorID(rawValue: UInt16($0)) }
    }

    /// The job that this `jobEnded` event ends.
    func job(endedBy event: TaskEvent, lane: Int) -> Job? {
        let lane = firstLane(of: lane)
        guard lanes.indices.contains(lane) else { return nil }
        return lanes[lane].jobs.last { $0.task == event.task && $0.executor == event.executor }
    }

    /// The slice that this event ends, because the slice's task suspends or ends.
    func slice(endedBy event: TaskEvent, lane: Int) -> Job? {
        let lane = firstLane(of: lane)
        guard lanes.indices.contains(lane), let job = lanes[lane].jobs.last, job.isSlice, job.task == event.task else { return nil }
        return job
    }

    /// The queue in which a task's job waits. Nil if the job does not wait.
    func queuedJob(of task: TaskID) -> Queued? {
        queued[task]
    }

    /// The innermost job on the lane's thread.
    func job(on lane: Int) -> Job? {
        let lane = firstLane(of: lane)
        return lanes.indices.contains(lane) ? lanes[lane].jobs.last : nil
    }

    /// The wait of the lane's thread.
    func wait(on lane: Int) -> Wait? {
        let lane = firstLane(of: lane)
        return lanes.indices.contains(lane) ? lanes[lane].wait : nil
    }

    /// The waits of all threads that block, by lane.
    var waits: [Wait] { lanes.compactMap(\.wait) }

    /// The task's job that has not returned, on any thread.
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

    /// The kinds of event that ``apply(_:lane:)`` uses.
    static let kinds = bits(
        .enqueued, .started, .hopped, .suspended, .resumed, .jobEnded, .completed, .faulted, .cancelled, .waitBegan, .waitEnded,
        .thread, .lost)

    /// The kinds of event that can end a slice.
    static let endKinds = bits(.suspended, .completed, .faulted, .cancelled)

    private static func bits(_ kinds: EventKind...) -> UInt64 { kinds.reduce(0) { $0 | bit(ofCode: $1.rawValue) } }

    /// The bit of a kind of event in ``kinds``. 64 bits have room for the raw values up to 63; a kind beyond them would have no bit.
    @inline(__always) static func bit(ofCode code: UInt8) -> UInt64 { 1 << UInt64(code) }

    /// `isOnMain` says whether the event's executor is main.
    mutating func apply(_ event: TaskEvent, lane: Int, isOnMain: @autoclosure () -> Bool) {
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
        // The beginning of an `async` main is no job of a queue, and yet it occupies main.
        case .started where lanes[lane].jobs.isEmpty && isOnMain(): begin(event, lane: lane)
        case .hopped: move(event, lane: lane)
        case .jobEnded: end(event, lane: lane)
        case .suspended: endSlice(event, lane: lane)
        case .completed, .faulted, .cancelled:
            _ = queued.remove(event.task)
            endSlice(event, lane: lane)
        case .resumed: resumeSlice(event, lane: lane)
        case .waitBegan:
            let job = lanes[lane].jobs.last
            lanes[lane].wait = Wait(
                task: event.task, waiter: event.otherTask, job: job, since: event.time, lane: lane, site: event.label)
            if let job { noteBlocking(of: job.executor, at: event.time) }
        case .waitEnded: endWait(on: lane)
        case .lost:
            interrupt(lane)
            queued = TaskMap()
        case _: break
        }
    }

    /// A thread takes a lane, possibly its second one.
    private mutating func take(_ lane: Int, thread: UInt64) {
        threads = threads.filter { $0.value != lane }
        let first = threads[thread] ?? lane
        firstLanes[lane] = first
        threads[thread] = first
        if first == lane { interrupt(lane) }
    }

    private mutating func begin(_ event: TaskEvent, lane: Int) {
        let job = queued.remove(event.task)
        let isSlice = event.detail != StartManner.dequeued.rawValue
        begin(
            Job(
                task: event.task, executor: event.executor, since: event.time, lane: lane, isSlice: isSlice,
                priority: isSlice ? job?.priority ?? 0 : 0, closure: event.task == .none ? event.label : .none))
    }

    private mutating func begin(_ job: Job) {
        lanes[job.lane].stay = nil
        lanes[job.lane].jobs.append(job)
        let index = Int(job.executor.rawValue)
        while executors.count <= index { executors.append(Executor()) }
        executors[index].running.append(job)
        executors[index].blockedSince = nil
    }

    private mutating func end(_ event: TaskEvent, lane: Int) {
        guard let index = lanes[lane].jobs.lastIndex(where: { $0.task == event.task && $0.executor == event.executor }) else { return }
        stop(lanes[lane].jobs.remove(at: index))
    }

    private mutating func move(_ event: TaskEvent, lane: Int) {
        guard HopManner(rawValue: event.detail)?.isWithinSlice == true, let job = slice(endedBy: event, lane: lane) else { return }
        lanes[lane].stay = Stay(
            task: job.task, executor: event.executor, since: event.time, priority: job.priority, beginning: .hopped)
    }

    private mutating func endSlice(_ event: TaskEvent, lane: Int) {
        guard let job = lanes[lane].jobs.last, job.isSlice, job.task == event.task else { return }
        lanes[lane].jobs.removeLast()
        lanes[lane].stay = nil
        lanes[lane].endedSlice = job
        stop(job)
    }

    /// The awaited value arrived while the slice was about to suspend, so the slice continues on its thread.
    private mutating func resumeSlice(_ event: TaskEvent, lane: Int) {
        guard var job = lanes[lane].endedSlice, job.task == event.task else { return }
        lanes[lane].endedSlice = nil
        job.since = event.time
        begin(job)
    }

    private mutating func stop(_ job: Job) {
        let index = Int(job.executor.rawValue)
        guard executors.indices.contains(index), let last = executors[index].running.lastIndex(of: job) else { return }
        executors[index].running.remove(at: last)
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

    /// The jobs of the lane may have ended without a record.
    private mutating func interrupt(_ lane: Int) {
        for job in lanes[lane].jobs { stop(job) }
        lanes[lane] = Lane()
    }

    /// Events of all threads are missing.
    mutating func interruptAll() {
        for lane in lanes.indices { interrupt(lane) }
        queued = TaskMap()
    }
}
