import Dispatch
import Foundation
import Synchronization
import TaskEvents

/// Runs one body in one order: its jobs, Swift tasks and timers one at a time. The thread that gives up the turn chooses the next one.
///
/// A job runs where it would run anyway, so queues keep their threads and their meaning. Swift tasks and timers run on threads of the order.
/// Time is virtual. Code outside of the order belongs to it only by what it ends or enqueues, and is counted.
final class OrderedRun: ExploredOrder, TimerService {
    typealias Job = ExploredOrder.Job
    private let state: Guarded<OrderState>
    private let knowledge: OrderedKnowledge
    private let workers: WorkerPool
    private let monitor: OrderedMonitor
    private let finish: @Sendable (OrderedRun) -> Void

    /// - Parameter finish: called once, when the order is over.
    init(
        _ way: OrderedChooser.Way, _ settings: OrderedSettings, _ knowledge: OrderedKnowledge, _ workers: WorkerPool,
        finish: @escaping @Sendable (OrderedRun) -> Void
    ) {
        state = Guarded(OrderState(way, settings))
        self.knowledge = knowledge
        self.workers = workers
        self.finish = finish
        monitor = OrderedMonitor(settings.clock)
    }

    // MARK: The order's result

    var ending: OrderedEnding { state.withLock { $0.ending } }
    var choices: [OrderState.Choice] { state.withLock { $0.choices } }
    var outside: Int { state.withLock { $0.outside } }

    /// Starts the body, and returns.
    func start(_ body: OrderedBody, of bodies: OrderedBodies) {
        bodies.begin()
        Exploration.active.add(1, ordering: .relaxed)
        Exploration.$order.withValue(self) {
            Timers.$current.withValue(self) {
                _ = Task(executorPreference: self) { [self] in
                    let ending = await body.run()
                    bodies.end()
                    state.withLock { $0.bodyEnded(ending) }
                }
            }
        }
        monitor.start { [weak self] in self?.look() }
        passOn(after: OrderedStrands.outside)
    }

    func noteSetTwice(_ text: String) { state.withLock { $0.fail(.setTwice(text: text)) } }

    private func end(_ ending: OrderedEnding) {
        guard
            let (left, releases) = state.withLock({ state -> ([OrderState.Item], [Job])? in
                guard !state.isOver else { return nil }
                let releases = state.releasesOfMain
                return (state.end(state.hasBodyEnded && ending != .hang ? .passed : ending), releases)
            })
        else { return }
        monitor.stop()
        Exploration.active.subtract(1, ordering: .relaxed)
        for item in left {
            switch item.way {
            case .thread(let thread): thread.giveTurn()
            case .job(let schedule, let job): schedule(job)
            }
        }
        // Main belongs to the whole process, so no order may keep it.
        for release in releases { release() }
        finish(self)
    }

    // MARK: Turns

    private static var caller: UInt { UInt(pthread_self()) }

    private func act(_ step: OrderState.Step) {
        switch step {
        case .goOn, .idle: break
        case .stuck: end(.deadlock)
        case .tooLong: end(.cutShort)
        case .wake(let thread): thread.giveTurn()
        case .begin(let item, let thread):
            guard case .job(let schedule, let job) = item.way else { return }
            schedule { [self] in
                state.withLock { $0.began(thread, Self.caller, KernelThreads.calling) }
                // It may have begun so late that another thread has the turn.
                _ = turnOfCaller()
                inOrder(job)
                ended(thread)
            }
        }
    }

    private func inOrder(_ job: @escaping Job) {
        Exploration.$order.withValue(self) { Timers.$current.withValue(self) { job() } }
    }

    private func ended(_ thread: OrderedThread) {
        let mayChoose = state.withLock { $0.ended(thread, Self.caller) || $0.holder == nil }
        if mayChoose { passOn(after: thread.strand) }
    }

    /// Chooses the next thread, when none has the turn.
    private func passOn(after strand: Int) {
        awaitArrivals()
        act(
            state.withLock { state in
                guard !state.isOver, state.holder == nil else { return .idle }
                let silence = state.hearsFromOutside(knowledge) ? 0 : knowledge.silence
                return state.next(after: strand, current: nil, silence: silence, onWorker: onWorker)
            })
    }

    private var onWorker: ExploredOrder.Schedule { { [workers] in workers.run($0) } }

    /// Gives jobs of the program's own executors the time to begin, for 20 ms at most.
    private func awaitArrivals() {
        var left = 400
        while left > 0, state.withLock({ !$0.isOver && $0.awaitsArrival(knowledge) }) {
            usleep(50)
            left -= 1
        }
    }

    /// A place at which another thread may overtake the calling one.
    func point(at site: OrderedSite?) {
        guard let thread = turnOfCaller() else { return }
        awaitArrivals()
        let step = state.withLock { state -> OrderState.Step in
            guard !state.isOver, state.holder === thread else { return .goOn }
            if let site { state.strands.note(site, of: thread.strand) }
            return state.next(after: thread.strand, current: thread, at: site, silence: 0, onWorker: onWorker)
        }
        if case .goOn = step { return }
        act(step)
        if case .tooLong = step { return }
        thread.awaitTurn()
    }

    /// The calling thread, which has the turn when this returns. Nil if it is outside of the order, or the order is over.
    private func turnOfCaller() -> OrderedThread? {
        let (thread, mustWait) = state.withLock { state -> (OrderedThread?, Bool) in
            guard !state.isOver, let thread = state.thread(Self.caller) else { return (nil, false) }
            guard state.holder !== thread else { return (thread, false) }
            state.comesBack(thread)
            return (thread, true)
        }
        if mustWait, let thread {
            wakeIfIdle()
            thread.awaitTurn()
        }
        return thread
    }

    /// Something has come from outside: if nothing runs, chooses.
    private func wakeIfIdle() {
        knowledge.noteOutside()
        chooseIfIdle()
    }

    private func chooseIfIdle() {
        act(
            state.withLock { state in
                guard !state.isOver, state.holder == nil else { return .idle }
                return state.next(after: OrderedStrands.outside, current: nil, silence: 0, onWorker: onWorker)
            })
    }

    /// Counts an event from outside if the calling thread does not have the turn.
    private func noteCaller() {
        let isOutside = state.withLock { state -> Bool in
            guard !state.isOver, state.holder == nil || state.holder !== state.thread(Self.caller) else { return false }
            state.outside += 1
            return true
        }
        if isOutside { wakeIfIdle() }
    }

    // MARK: What the runtime tells

    func noteCreated(_ task: TaskID, name: String, _ site: OrderedSite) {
        state.withLock { $0.strands.noteCreated(task, by: $0.strand(Self.caller), name: name, site) }
    }

    /// Takes a job that an executor would schedule. Returns false if the order is over.
    func take(_ job: @escaping Job, of task: TaskID, on lane: OrderedLane, _ schedule: @escaping ExploredOrder.Schedule) -> Bool {
        let strand = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            let strand = state.strands.job(of: task, by: state.strand(Self.caller))
            if lane.isCustom {
                state.expect(lane)
            } else {
                state.add(OrderState.Item(strand: strand, lane: lane, way: .job(schedule: schedule, job)))
            }
            return strand
        }
        guard let strand else { return false }
        if lane.isCustom { schedule { [self] in arrive(strand, lane, job) } }
        noteCaller()
        point(at: nil)
        return true
    }

    /// Runs a job that the program's own executor calls: as part of the caller, or in a turn of its own.
    private func arrive(_ strand: Int, _ lane: OrderedLane, _ job: @escaping Job) {
        let thread = OrderedThread(strand, lane)
        let isOwn = state.withLock { state -> Bool? in
            state.expectNoMore(lane)
            guard !state.isOver else { return nil }
            guard state.thread(Self.caller) == nil else { return false }
            state.arrives(thread, Self.caller, KernelThreads.calling)
            return true
        }
        guard let isOwn else { return job() }
        guard isOwn else { return inOrder(job) }
        if knowledge.noteCalls(lane.name) { state.withLock { $0.outside += 1 } }
        chooseIfIdle()
        thread.awaitTurn()
        inOrder(job)
        ended(thread)
    }

    // MARK: Swift tasks

    func enqueue(_ job: consuming ExecutorJob) {
        let description = job.description
        let job = UnownedJob(job)
        let run: @Sendable () -> Void = { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        let isTaken = state.withLock { state -> Bool? in
            guard !state.isOver else { return false }
            let isBody = !state.hasBody
            let strand = state.strands.swiftTask(description, by: state.strand(Self.caller))
            state.add(OrderState.Item(strand: strand, way: .job(schedule: onWorker, run)))
            return isBody ? nil : true
        }
        guard let isTaken else { return }
        if isTaken { noteCaller() } else { workers.run(run) }
    }

    // MARK: Timers

    func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> any ScheduledTimer {
        let number = state.withLock { $0.isOver ? nil : $0.addTimer(after: duration, by: $0.strand(Self.caller), action) }
        guard let number else { return Timers.system.schedule(after: duration, action) }
        return OrderedTimer(run: self, number: number)
    }

    fileprivate func cancelTimer(_ number: Int) { state.withLock { $0.removeTimer(number) } }

    // MARK: Waits

    func waiter(releasing release: @escaping Job) -> (any OrderedWaiting)? {
        guard let thread = turnOfCaller() else { return nil }
        state.withLock { _ in
            thread.isAwake = false
            thread.release = release
        }
        return OrderedWaiter(run: self, thread: thread)
    }

    /// Waits until ``wake(_:)``.
    fileprivate func wait(_ thread: OrderedThread) {
        let isAwake = state.withLock { state -> Bool in
            guard !thread.isAwake else {
                thread.isAwake = false
                return true
            }
            state.block(thread)
            return false
        }
        guard !isAwake else { return }
        passOn(after: thread.strand)
        thread.awaitTurn()
    }

    fileprivate func wake(_ thread: OrderedThread) {
        let isOver = state.withLock { state -> Bool in
            guard !state.isOver else { return true }
            state.unblock(thread)
            return false
        }
        if isOver { thread.giveTurn() } else { noteCaller() }
    }

    // MARK: Looking from outside

    /// Called a hundred times a second.
    private func look() {
        let (steps, holder, isOver) = state.withLock { ($0.steps, $0.holder?.seen, $0.isOver) }
        guard !isOver else { return }
        switch monitor.look(steps, holder) {
        case .fine: break
        case .asleep, .unbegun:
            let hasStrayed = state.withLock { state -> Bool in
                guard state.steps == steps, state.holder?.seen == holder else { return false }
                state.stray()
                return true
            }
            guard hasStrayed else { return }
            knowledge.noteOutside()
            passOn(after: OrderedStrands.outside)
        case .silent(let ticks): timePasses(steps, ticks)
        case .hangs: end(.hang)
        }
    }

    /// Lets time pass, or ends the order, because nothing has come from outside for `ticks`.
    private func timePasses(_ steps: Int, _ ticks: Int) {
        knowledge.noteSilence(ticks)
        act(
            state.withLock { state in
                guard !state.isOver, state.holder == nil, state.steps == steps else { return .idle }
                return state.next(after: OrderedStrands.outside, current: nil, silence: ticks, onWorker: onWorker)
            })
    }
}

private struct OrderedTimer: ScheduledTimer {
    let run: OrderedRun
    let number: Int

    func cancel() { run.cancelTimer(number) }
}

private final class OrderedWaiter: OrderedWaiting {
    private let run: OrderedRun
    private let thread: OrderedThread
    private let hasTimedOut = Atomic<Bool>(false)

    init(run: OrderedRun, thread: OrderedThread) {
        self.run = run
        self.thread = thread
    }

    func wait() { run.wait(thread) }

    func wait(timeout: Duration) -> Bool {
        let timer = run.schedule(after: timeout) { [self] in
            hasTimedOut.store(true, ordering: .relaxed)
            wake()
        }
        wait()
        timer.cancel()
        return !hasTimedOut.load(ordering: .relaxed)
    }

    func wake() { run.wake(thread) }
}
