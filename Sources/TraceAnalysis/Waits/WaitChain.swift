import TaskEvents
import TraceStore

/// The chain of waits from a task, a job or an executor to its cause. The last link is a running task or job, a timer, a continuation that
/// nothing has resumed, a blocked thread, or an earlier link, which makes the chain a deadlock's ring.
///
/// Each link is a ``WaitsFor``. A link that the trace cannot prove ends the chain with the reason. Computed from the store at its cursor on
/// each call.
package struct WaitChain: Sendable {
    package enum Subject: Hashable, Sendable {
        case task(TaskID)
        /// A running closure that belongs to no task.
        case job(RunningJob, on: ExecutorID)
        case executor(ExecutorID)
    }

    package struct Link: Hashable, Sendable {
        package var subject: Subject
        /// The cause of the wait. Nil if the subject waits for nothing, or if the cause is unknown.
        package var wait: WaitsFor?
        /// The time at which the wait or the job began. Nil if unknown.
        package var since: UInt64?
        /// The number of other tasks or jobs that the subject also waits for: a join's inputs, a group's children, an executor's jobs.
        package var others = 0
    }

    /// The meaning of the last link.
    package enum End: Hashable, Sendable {
        /// The last link waits for the link at this index.
        case ring(Int)
        /// The last link runs. `mayBlock` is true if the trace could not show whether its thread blocks.
        case runs(mayBlock: Bool)
        /// The last link's thread blocks in a call that waits for no task of the trace.
        case blocks
        /// The last link waits for a time.
        case timer
        /// Nothing has resumed the continuation or set the source. If it is lost, the last reference to it is gone.
        case unresumed(isLost: Bool)
        case condition
        /// A gate holds the last link's job.
        case held
        /// An executor that runs nothing.
        case idle
        /// A task that has ended.
        case ended
        case unknown(String)
    }

    /// The largest number of links.
    package static let limit = 1000
    /// The largest number of tasks that are searched for a deadlock.
    static let cycleLimit = 4096
    /// A job waits for blocked threads only if it has been queued for this many nanoseconds. Before that, another thread may be starting.
    static let patience: UInt64 = 100_000_000

    package private(set) var links: [Link] = []
    package private(set) var end = End.idle

    package init(of subject: Subject, in store: TraceStore) {
        var walk = Walk(store: store, graph: WaitGraph(store, now: store.now, patience: Self.patience, limit: Self.cycleLimit))
        var next = Step.subject(subject)
        while case .subject(let subject) = next {
            if case .task(let task) = subject, let way = walk.graph.wayIntoCycle(from: task) {
                let start = links.count
                links += way.edges.map { walk.link(from: $0.from, to: $0.to) }
                end = .ring(start + way.cycle)
                return
            }
            if let index = links.firstIndex(where: { $0.subject == subject }) {
                next = .end(
                    .unknown("this leads back to \(TaskWords(store).name(of: links[index].subject)), but not everything waits for it"))
            } else if links.count == Self.limit {
                next = .end(.unknown("more than \(CountText.text(Self.limit)) wait for one another"))
            } else {
                let (link, step) = walk.step(from: subject)
                links.append(link)
                next = step
            }
        }
        if case .end(let end) = next { self.end = end }
    }

    fileprivate enum Step {
        case subject(Subject)
        case end(End)
    }
}

/// The state of a walk along a chain.
private struct Walk {
    let store: TraceStore
    var graph: WaitGraph

    /// A link of a deadlock, whose next link is known.
    func link(from task: TaskID, to other: TaskID) -> WaitChain.Link {
        guard let view = store.task(task) else { return WaitChain.Link(subject: .task(task)) }
        var wait = WaitsFor(view, in: store)
        // If the task waits for several inputs, the deadlock shows the input that leads to `other`.
        if wait?.kind == .task { wait?.task = other }
        return WaitChain.Link(subject: .task(task), wait: wait, since: view.waitingSince)
    }

    func step(from subject: WaitChain.Subject) -> (WaitChain.Link, WaitChain.Step) {
        switch subject {
        case .task(let task): step(from: task)
        case .job(let job, _): step(from: job, subject)
        case .executor(let executor): step(from: executor)
        }
    }

    // MARK: Executors and closures

    private func step(from executor: ExecutorID) -> (WaitChain.Link, WaitChain.Step) {
        var link = WaitChain.Link(subject: .executor(executor))
        guard let view = store.executor(executor) else { return (link, .end(.idle)) }
        if view.openJobs.isEmpty, view.depth == 0 { return (link, .end(.idle)) }
        link.since = view.queue.first { _ in true }?.since
        let step = holder(of: executor, &link)
        return (link, step)
    }

    private func step(from job: RunningJob, _ subject: WaitChain.Subject) -> (WaitChain.Link, WaitChain.Step) {
        var link = WaitChain.Link(subject: subject, since: job.since)
        if let blindness = lostSince(job.since) { return (link, .end(.unknown(blindness.reason))) }
        guard let wait = store.threadWait(onLane: job.lane), wait.waiter == .none else {
            guard let sight = store.sight(of: job), sight.blockingCall != nil else { return (link, .end(.runs(mayBlock: false))) }
            link.wait = WaitsFor(.thread, sight: sight)
            return (link, .end(.blocks))
        }
        let awaited = wait.open(in: store)
        link.wait = WaitsFor(.thread, task: awaited, calls: wait.calls)
        link.since = wait.since
        return (link, awaited == .none ? .end(.blocks) : .subject(.task(awaited)))
    }

    /// The job that has run on the executor for the longest time.
    private func holder(of executor: ExecutorID, _ link: inout WaitChain.Link) -> WaitChain.Step {
        guard let view = store.executor(executor), let job = view.running.first else {
            let name = TaskWords(store).name(executor)
            if let view = store.executor(executor), view.depth > 0, view.heldCount == view.depth { return .end(.held) }
            return .end(.unknown("the trace shows no job that runs on \(name)"))
        }
        link.others = view.running.count - 1
        return .subject(job.task == .none ? .job(job, on: executor) : .task(job.task))
    }

    // MARK: Tasks

    private func step(from task: TaskID) -> (WaitChain.Link, WaitChain.Step) {
        var link = WaitChain.Link(subject: .task(task))
        guard let view = store.task(task) else { return (link, .end(.unknown(Blindness.forgotten(task).reason))) }
        if view.state.hasEnded { return (link, .end(.ended)) }
        link.wait = WaitsFor(view, in: store)
        link.since = view.waitingSince
        if let since = link.since, let blindness = lostSince(since) { return (link, .end(.unknown(blindness.reason))) }
        // Snapshots show the states of all tasks, though not how they came about.
        let missing = store.isSampled ? [] : TraceSight(store).missing(Self.routes(of: view.state), for: view.kind)
        if !missing.isEmpty { return (link, .end(.unknown(Blindness.routes(missing).reason))) }
        let step = next(after: view, &link)
        return (link, step)
    }

    private func next(after task: TaskView, _ link: inout WaitChain.Link) -> WaitChain.Step {
        switch link.wait?.kind {
        case .executor: return task.isHeld ? .end(.held) : holder(of: link.wait?.executor ?? .none, &link)
        case .task:
            if task.kind == .join { link.others = task.openAntecedents(in: store).reduce(-1) { count, _ in count + 1 } }
            return .subject(.task(link.wait?.task ?? .none))
        case .thread: return link.wait?.task == TaskID.none ? .end(.blocks) : .subject(.task(link.wait?.task ?? .none))
        case .group:
            let children = task.successors.filter { store.task($0).map { $0.kind == .groupChild && !$0.state.hasEnded } ?? false }
            guard let child = children.first else { return .end(.unknown("the trace shows no open task of its group")) }
            link.others = children.count - 1
            return .subject(.task(child))
        case .timer: return .end(.timer)
        case .continuation, .source: return .end(.unresumed(isLost: task.isReleased))
        case .condition: return .end(.condition)
        case .call: return .end(.unknown("the trace does not show what that call waits for"))
        case nil: return .end(end(of: task))
        }
    }

    /// The meaning of a task at the end of a chain, if the trace names no cause of a wait.
    private func end(of task: TaskView) -> WaitChain.End {
        switch task.state {
        case .running: .runs(mayBlock: !TraceSight(store).missing(.blocking, for: task.kind).isEmpty)
        case .pending: .unknown("its turn has come, and the trace does not show that it was queued")
        case .queued, .suspended, .succeeded, .faulted, .cancelled: .unknown("the trace does not show what it awaits")
        }
    }

    /// The lost records, if the wait began before the latest loss. The end of the wait may be among them.
    private func lostSince(_ time: UInt64) -> Blindness? {
        guard let loss = store.lastLoss, loss >= time else { return nil }
        return .lost(records: store.lostCount)
    }

    /// The routes on which a Swift task's state rests. Without them, the task may be in another state.
    private static func routes(of state: TaskState) -> TraceRoutes {
        switch state {
        case .pending: [.created, .queues, .slices]
        case .queued: [.queues, .slices]
        case .running: [.slices, .ends]
        case .suspended: [.slices, .waits]
        case .succeeded, .faulted, .cancelled: []
        }
    }
}

extension WaitChain {
    /// Whether one sentence is enough to describe the chain: a task that has ended, or an executor without jobs.
    package var isTrivial: Bool { links.count == 1 && (end == .ended || end == .idle) }

    /// A row of the displayed chain.
    package enum Row: Hashable, Sendable {
        case link(Int)
        /// This many links, each of which continues the next.
        case more(Int)
    }

    /// The number of links that stay at either end of a run of continuations.
    private static let shownOfRun = 2

    /// The chain with long runs of pending continuations folded. A ring is never folded.
    package func rows(in store: TraceStore) -> [Row] {
        var rows: [Row] = []
        var start = 0
        while start < links.count {
            let run = links[start...].prefix { isPlain($0, in: store) }
            if run.count > 2 * Self.shownOfRun + 1, !isInRing(run.startIndex), !isInRing(run.endIndex - 1) {
                rows += run.indices.prefix(Self.shownOfRun).map { .link($0) }
                rows.append(.more(run.count - 2 * Self.shownOfRun))
                rows += run.indices.suffix(Self.shownOfRun).map { .link($0) }
                start = run.endIndex
            } else {
                rows.append(.link(start))
                start += 1
            }
        }
        return rows
    }

    /// Whether the link at an index is part of the deadlock's ring.
    package func isInRing(_ index: Int) -> Bool {
        if case .ring(let first) = end { index >= first } else { false }
    }

    private func isPlain(_ link: Link, in store: TraceStore) -> Bool {
        guard case .task(let id) = link.subject, let task = store.task(id) else { return false }
        return task.state == .pending && task.kind == .continuation && link.wait?.kind == .task
    }
}
