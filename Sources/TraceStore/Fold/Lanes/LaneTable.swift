import TaskEvents
import TraceTransport

/// The threads, the bodies that run on them, and the time that bodies spend on executors.
///
/// A slice that enters free actors is on several executors, one after the other. The time on each belongs to that executor.
struct LaneTable: ~Copyable {
    private var threads: NumberedStates<ThreadState>
    /// The bodies that have ended.
    var jobs: JobHistory

    func copy() -> LaneTable { LaneTable(threads: threads.copy(), jobs: jobs) }

    @inline(__always)
    private mutating func use(_ lane: UInt16) -> UnsafeMutablePointer<ThreadState> {
        threads.find(lane) ?? threads.make(lane, ThreadState())
    }

    func find(_ lane: UInt16) -> UnsafePointer<ThreadState>? { threads.find(lane).map { UnsafePointer($0) } }

    // MARK: Bodies

    /// Records that a body of a task begins on a thread.
    mutating func begin(
        _ event: EventReference, lane: UInt16, _ manner: StartManner, on executor: UnsafeMutablePointer<ExecutorState>
    ) {
        guard manner.isDequeued || executor.pointee.countsInline || occupiesMain(executor, lane: lane) else { return }
        beginBody(event, lane: lane, isJob: manner == .dequeued, on: executor)
    }

    /// Whether an inline body is the first on the main thread, and so the main executor's job: the beginning of an `async` main, for
    /// example. A thread has a lane for each source of its records.
    private func occupiesMain(_ executor: UnsafeMutablePointer<ExecutorState>, lane: UInt16) -> Bool {
        guard executor.pointee.kind == .main else { return false }
        let thread = threads.find(lane)?.pointee.thread ?? 0
        return !threads.used.contains { number in
            guard let other = threads.find(number)?.pointee else { return false }
            return (number == lane || thread != 0 && other.thread == thread) && other.isBusy
        }
    }

    @inline(__always)
    mutating func beginBody(_ event: EventReference, lane: UInt16, isJob: Bool, on executor: UnsafeMutablePointer<ExecutorState>) {
        let label = event.task == .none ? event.label.rawValue : 0
        let thread = use(lane)
        thread.pointee.begin(
            ThreadState.Body(task: event.task.rawValue, at: event.time, on: event.executor.rawValue, isJob: isJob, label: label))
        if thread.pointee.isCounted { executor.pointee.changeThreads(by: 1) }
        arrive(at: executor, lane: lane, at: event.time)
    }

    /// An actor runs one body at a time. A thread that loses its core right after it has left one records that late, so the body that
    /// begins there next ends the stay.
    @inline(__always)
    private func arrive(at executor: UnsafeMutablePointer<ExecutorState>, lane: UInt16, at time: UInt64) {
        guard executor.pointee.kind == .actor else { return }
        let latest = executor.pointee.latestLane
        executor.pointee.latestLane = Int32(lane)
        guard latest >= 0, latest != Int32(lane) else { return }
        threads.find(UInt16(latest))?.pointee.hasLeft(executor.pointee.id, by: time)
    }

    /// Records that a job from a queue has returned.
    mutating func endJob(_ event: EventReference, lane: UInt16, _ executors: inout ExecutorTable) {
        guard let thread = threads.find(lane) else { return }
        guard let body = thread.pointee.takeJob(of: event.task.rawValue, on: event.executor.rawValue) else { return }
        finish(body, of: thread, lane: lane, at: event.time, &executors)
    }

    /// Records that an inline body or a slice has returned: on the thread of this record, or else on the thread it last ran on.
    mutating func endInline(
        _ task: UnsafeMutablePointer<TaskRecord>, _ event: EventReference, lane: UInt16, _ executors: inout ExecutorTable
    ) {
        guard !endInline(task.pointee.id, event, lane: lane, &executors), lane != task.pointee.lane else { return }
        endInline(task.pointee.id, event, lane: task.pointee.lane, &executors)
    }

    /// Returns whether the task's inline body or slice ran on this lane's thread.
    @discardableResult @inline(__always)
    private mutating func endInline(_ task: UInt64, _ event: EventReference, lane: UInt16, _ executors: inout ExecutorTable) -> Bool {
        guard let thread = threads.find(lane), let body = thread.pointee.takeInline(task) else { return false }
        finish(body, of: thread, lane: lane, at: event.time, on: event.executor.rawValue, &executors)
        return true
    }

    // MARK: Time on executors

    /// Times on an executor shorter than this, in nanoseconds, have no job of their own in the history if they lie between others.
    private static var shortestJob: UInt64 { 1000 }

    /// A slice has moved to another executor without waiting, once or several times.
    mutating func move(_ event: EventReference, _ hops: InlineHops, lane: UInt16, _ executors: inout ExecutorTable) {
        let move = threads.find(lane)?.pointee.move(
            event.task.rawValue, to: event.executor.rawValue, at: event.time, attributing: hops.nanoseconds)
        guard let (body, attributed) = move else { return }
        let end = hops.count == 1 && body.executor == hops.from.rawValue ? body.end(at: event.time) : event.time
        let nanoseconds = end < event.time ? min(attributed, end > body.since ? end - body.since : 0) : attributed
        arrive(at: executors.use(event.executor.rawValue), lane: lane, at: event.time)
        if body.isCounted, body.executor != event.executor.rawValue {
            executors.use(body.executor).pointee.changeThreads(by: -1)
            executors.use(event.executor.rawValue).pointee.changeThreads(by: 1)
        }
        let executor = executors.use(hops.from.rawValue)
        executor.pointee.recordRun(of: body.task, label: body.label, nanoseconds: nanoseconds, stays: hops.count)
        threads.find(lane)?.pointee.count(
            hops, to: event.executor.rawValue, hasLeft: event.detail == HopManner.left.rawValue, nanoseconds: nanoseconds)
        guard hops.count == 1 else { return }
        var began = max(body.since, event.time - min(event.time, nanoseconds))
        if body.executor == hops.from.rawValue {
            began = body.since
        } else if began - body.since >= Self.shortestJob {
            addJob(of: body, from: body.since, until: began, on: executors.use(body.executor), lane: lane)
        }
        addJob(of: body, from: began, until: end, on: executor, lane: lane)
    }

    /// A body has returned. `executor` is its last executor; 0 stands for the body's known one.
    private mutating func finish(
        _ body: ThreadState.Body, of thread: UnsafeMutablePointer<ThreadState>, lane: UInt16, at time: UInt64, on executor: UInt16 = 0,
        _ executors: inout ExecutorTable
    ) {
        let known = executors.use(body.executor)
        if body.isCounted { known.pointee.changeThreads(by: -1) }
        let isOnKnown = executor == 0 || executor == body.executor
        let last = isOnKnown ? known : executors.use(executor)
        let time = isOnKnown ? body.end(at: time) : time
        let total = time > body.began ? time - body.began : 0
        let counted = body.attributed.plus(body.nested)
        let nanoseconds = total > counted ? total - counted : 0
        let stay = body.hasPath ? thread.pointee.takeStay(of: body, on: last.pointee.id) : nil
        last.pointee.recordRun(of: body.task, label: body.label, nanoseconds: nanoseconds, after: stay?.nanoseconds ?? 0)
        if let stay { executors.use(stay.next).pointee.jobs &-= 1 }
        if thread.pointee.isBusy { thread.pointee.exclude(nanoseconds.plus(body.nested), on: last.pointee.id) }
        let rest = time > body.since ? time - body.since : 0
        guard body.attributed == 0 || rest >= Self.shortestJob else { return }
        addJob(of: body, from: body.since, until: time, on: last, lane: lane)
    }

    private mutating func addJob(
        of body: ThreadState.Body, from since: UInt64, until: UInt64, on executor: UnsafeMutablePointer<ExecutorState>, lane: UInt16
    ) {
        let job = JobRecord(
            task: TaskID(rawValue: body.task), since: since, until: until, executor: ExecutorID(rawValue: executor.pointee.id), lane: lane,
            label: EntryID(rawValue: body.label))
        jobs.append(job, isMain: executor.pointee.kind == .main)
    }

    // MARK: Threads

    /// A thread takes over a lane.
    mutating func take(_ lane: UInt16, by thread: UInt64, _ executors: inout ExecutorTable) {
        interrupt(lane, &executors)
        use(lane).pointee.thread = thread
    }

    /// Bodies on that thread may have ended in lost records. They are no longer shown as running, and no time is counted for them.
    func interrupt(_ lane: UInt16, _ executors: inout ExecutorTable) {
        guard let thread = threads.find(lane) else { return }
        for body in thread.pointee.bodies where body.isCounted { executors.use(body.executor).pointee.changeThreads(by: -1) }
        thread.pointee.endAll()
    }

    func interruptAll(_ executors: inout ExecutorTable) {
        for lane in threads.used { interrupt(lane, &executors) }
    }

    /// A thread begins to block.
    mutating func beginWait(_ event: EventReference, lane: UInt16) {
        use(lane).pointee.wait = ThreadWait(
            task: event.task, waiter: TaskID(rawValue: event.other), since: event.time, calls: event.label)
    }

    /// A thread no longer blocks. Returns its wait, and the bodies that it runs, outermost first.
    func endWait(_ lane: UInt16) -> (wait: ThreadWait, bodies: [ThreadState.Body])? {
        guard let thread = threads.find(lane), let wait = thread.pointee.wait else { return nil }
        thread.pointee.wait = nil
        return (wait, thread.pointee.bodies)
    }

    // MARK: Running bodies

    /// The bodies that run on all executors, by thread.
    var running: [(executor: ExecutorID, job: RunningJob)] {
        threads.used.flatMap { number in
            (threads.find(number)?.pointee.bodies ?? []).map { body in
                let label = EntryID(rawValue: body.label)
                let job = RunningJob(task: TaskID(rawValue: body.task), since: body.since, lane: Int(number), label: label)
                return (ExecutorID(rawValue: body.executor), job)
            }
        }
    }

    /// The time that the running bodies of an executor have run, apart from the time that is in its busy time already.
    func unattributed(on id: UInt16, until now: UInt64) -> UInt64 {
        threads.used.reduce(0 as UInt64) { $0.plus(threads.find($1)?.pointee.unattributed(on: id, until: now) ?? 0) }
    }

    /// The bodies that run on an executor, in the order of their start times.
    func running(on id: UInt16) -> [RunningJob] {
        running.filter { $0.executor.rawValue == id }.map(\.job).sorted { ($0.since, $0.lane) < ($1.since, $1.lane) }
    }

    /// The executor that the task runs on in a lane. Nil if it does not run there.
    func executor(of task: UInt64, inLane lane: UInt16) -> UInt16? {
        threads.find(lane)?.pointee.bodies.last { $0.task == task }?.executor
    }

    func isRunning(_ task: UInt64, inLane lane: UInt16) -> Bool {
        executor(of: task, inLane: lane) != nil
    }
}

extension LaneTable {
    init() {
        self.init(threads: NumberedStates(), jobs: JobHistory())
    }
}
