import TaskEvents
import TraceStore

/// A job blocked its thread on a task, or a slice of a Swift task blocked in a semaphore or a dispatch group. All jobs that need the thread
/// wait with it. A thread that runs no executor's job is allowed to block.
struct BlockingWait: WarningRule {
    let id = "blocking-wait"
    let severity = WarningSeverity.warning
    let summary = "a job blocked its thread until another task ended"
    let threshold: WarningThreshold? = .milliseconds(10)
    let needs: TraceRoutes = [.created, .blocking, .slices, .ends]
    let sees: TraceRoutes = .blocks

    func detector(_ settings: WarningSettings) -> WarningDetector {
        BlockingWaitDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let isOver = finding.evidence.contains { $0.kind == .waitEnded }
        let thread = finding.executor == .none ? "its thread" : "a thread of \(words.name(finding.executor))"
        let waited = finding.evidence[0].task
        let blocked = "\(words.name(of: finding)) \(isOver ? "blocked" : "has blocked") \(thread)"
        let call = finding.site == finding.label ? nil : call(finding.site, words)
        let time = words.duration(finding.measure)
        // A semaphore, a group or a lock is awaited by a call, and not for a task.
        guard waited != .none else { return words.sentence("\(blocked) for \(time) in \(call ?? "a blocking call").") }
        let site = call.map { " in \($0)" } ?? ""
        // A block that waits for its turn says less than the job that holds its queue.
        let holder = finding.evidence.first { $0.kind == .started }
        let what = holder.map { "\(words.name($0.executor)), kept by \(words.name($0.task))" } ?? words.name(waited)
        return words.sentence("\(blocked) for \(time)\(site), waiting for \(what).")
    }

    private func call(_ site: EntryID, _ words: WarningWords) -> String? {
        let parts = [words.function(site), words.site(site)].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

private final class BlockingWaitDetector: WarningDetector {
    private let rule: BlockingWait
    private let threshold: UInt64
    /// By lane, the start of the job that held the queue of the awaited block when the wait began.
    private var holders: [Int: Evidence] = [:]

    init(rule: BlockingWait, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.waitBegan, .waitEnded] }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        if event.kind == .waitBegan {
            holders[scene.jobs.firstLane(of: lane)] = holder(of: event.task, scene)
            return
        }
        guard let wait = scene.jobs.wait(on: lane), wait.task == event.task else { return }
        if let finding = finding(wait, scene, end: event) { scene.report(finding) }
    }

    /// The job that holds the serial queue in which the block waits.
    private func holder(of block: TaskID, _ scene: WarningScene) -> Evidence? {
        guard block.isBlock, let queued = scene.jobs.queuedJob(of: block) else { return nil }
        let jobs = scene.jobs.jobs(on: queued.executor)
        guard jobs.count == 1, jobs[0].task != .none else { return nil }
        return Evidence(.started, of: jobs[0].task, on: queued.executor, at: jobs[0].since)
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        scene.jobs.waits.compactMap { finding($0, scene, end: nil) }
    }

    private func finding(_ wait: ThreadJobs.Wait, _ scene: WarningScene, end: TaskEvent?) -> Finding? {
        let time = scene.elapsed(since: wait.since)
        guard time > threshold, wait.waiter != .none || wait.job != nil else { return nil }
        let waiter = wait.waiter != .none ? wait.waiter : wait.job?.task ?? .none
        // The queues of Dispatch are there for blocks that wait. On main they hold everything.
        if waiter.isBlock, wait.job.flatMap({ scene.kind(of: $0.executor) }) != .main { return nil }
        // A wait in an event loop outside of every task is for `loop-stall` to judge.
        if waiter == .none, wait.job.flatMap({ scene.kind(of: $0.executor) }) == .loop { return nil }
        let began = Evidence(.waitBegan, of: wait.task, by: wait.waiter, at: wait.since)
        return Finding(
            rule, scene.store.task(waiter), executor: wait.job?.executor ?? .none, at: wait.since, measure: time,
            evidence: [began] + (holders[wait.lane].map { [$0] } ?? []) + (end.map { [Evidence($0)] } ?? []), site: wait.site)
    }
}
