import TaskEvents
import TraceStore

/// What runs on each thread, and which threads block, by the events: what the store's table does not keep.
package struct ThreadJobs {
    /// A job that was taken from an executor's queue and has not come back.
    struct Job: Hashable {
        /// `.none` for a closure that is no task's.
        var task: TaskID
        var executor: ExecutorID
        var since: UInt64
        var lane: Int
    }

    /// A thread that blocks until a task has ended.
    struct Wait: Hashable {
        var task: TaskID
        /// The task whose body blocks, `.none` outside of every body.
        var waiter: TaskID
        /// The executor whose job the thread is running, `.none` on a thread of none.
        var executor: ExecutorID
        var since: UInt64
        var lane: Int
        /// Whether main's jobs run on that thread.
        var isMain: Bool
    }

    private struct Lane {
        var jobs: [Job] = []
        var wait: Wait?
    }

    private var lanes: [Lane] = []
    private var running: [ExecutorID: [Job]] = [:]
    private var mostRunning: [ExecutorID: Int] = [:]
    /// The lane of the thread that main's jobs were last seen on.
    private var mainLane: Int?

    // MARK: What is known

    /// The jobs of an executor that run, in the order of their beginning.
    func jobs(on executor: ExecutorID) -> [Job] {
        running[executor] ?? []
    }

    /// The executors that have run a job.
    var executors: [ExecutorID] { mostRunning.keys.sorted() }

    /// The most jobs of an executor that were ever seen to run at a time: while there is a queue, the number of its workers.
    func mostJobs(on executor: ExecutorID) -> Int {
        mostRunning[executor] ?? 0
    }

    /// The job that this `jobEnded` ends.
    func job(endedBy event: TaskEvent, lane: Int) -> Job? {
        guard lanes.indices.contains(lane) else { return nil }
        return lanes[lane].jobs.last { $0.task == event.task && $0.executor == event.executor }
    }

    /// The wait of that thread.
    func wait(on lane: Int) -> Wait? {
        lanes.indices.contains(lane) ? lanes[lane].wait : nil
    }

    /// All threads that block, by lane.
    var waits: [Wait] { lanes.compactMap(\.wait) }

    /// Whether a task is a job that has not come back from that lane's thread.
    func isRunning(_ task: TaskID, on lane: Int) -> Bool {
        lanes.indices.contains(lane) && lanes[lane].jobs.contains { $0.task == task }
    }

    // MARK: Events

    /// The kinds that ``apply(_:lane:isMain:)`` learns from.
    static let kinds: Set<EventKind> = [.started, .jobEnded, .waitBegan, .waitEnded, .thread, .lost]

    /// `isMain`: whether the event's executor is main.
    mutating func apply(_ event: TaskEvent, lane: Int, isMain: Bool) {
        if event.kind == .lost, lane == Int(TraceBatch.noLane) { return interruptAll() }
        while lanes.count <= lane { lanes.append(Lane()) }
        switch event.kind {
        case .started where event.detail == StartManner.dequeued.rawValue: begin(event, lane: lane, isMain: isMain)
        case .jobEnded: end(event, lane: lane)
        case .waitBegan:
            let job = lanes[lane].jobs.last
            lanes[lane].wait = Wait(
                task: event.task, waiter: event.otherTask, executor: job?.executor ?? .none, since: event.time, lane: lane,
                isMain: lane == mainLane)
        case .waitEnded: lanes[lane].wait = nil
        case .thread:
            interrupt(lane)
            if mainLane == lane { mainLane = nil }
        case .lost: interrupt(lane)
        case .started, .created, .antecedent, .enqueued, .suspended, .resumed, .hopped, .skipped, .completed, .faulted, .cancelled,
            .errorRead, .released, .condition, .completedTwice, .held, .stepped, .mark, nil:
            break
        }
    }

    private mutating func begin(_ event: TaskEvent, lane: Int, isMain: Bool) {
        let job = Job(task: event.task, executor: event.executor, since: event.time, lane: lane)
        lanes[lane].jobs.append(job)
        running[event.executor, default: []].append(job)
        mostRunning[event.executor] = max(mostJobs(on: event.executor), jobs(on: event.executor).count)
        if isMain { mainLane = lane }
    }

    private mutating func end(_ event: TaskEvent, lane: Int) {
        guard let place = lanes[lane].jobs.lastIndex(where: { $0.task == event.task && $0.executor == event.executor }) else { return }
        stop(lanes[lane].jobs.remove(at: place))
    }

    private mutating func stop(_ job: Job) {
        guard let place = running[job.executor]?.lastIndex(of: job) else { return }
        running[job.executor]?.remove(at: place)
    }

    /// What ran there may have ended unseen.
    private mutating func interrupt(_ lane: Int) {
        for job in lanes[lane].jobs { stop(job) }
        lanes[lane] = Lane()
    }

    /// Events of all threads are missing.
    mutating func interruptAll() {
        for lane in lanes.indices { interrupt(lane) }
    }
}
