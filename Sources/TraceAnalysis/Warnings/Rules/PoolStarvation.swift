import TaskEvents
import TraceStore

/// Jobs waited in a queue while every running job of the executor blocked on a task: the threads were there, but none worked. For Swift's
/// pool: each of its threads ran one slice for the whole wait.
struct PoolStarvation: WarningRule {
    let id = "pool-starvation"
    let severity = WarningSeverity.warning
    let summary = "all threads of an executor were blocked while jobs waited for them"
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = [.slices, .queues, .ends]
    let sees: TraceRoutes = .blocks

    func detector(_ settings: WarningSettings) -> WarningDetector {
        PoolStarvationDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        if finding.evidence[1].kind == .started { return heldMessage(of: finding, words) }
        let threads = finding.evidence.count { $0.kind == .waitBegan }
        let verb = finding.evidence.contains { $0.kind == .started } ? "waited" : "has been waiting"
        let blocked = threads == 1 ? "its one running job was" : "all \(CountText.text(threads)) running jobs were"
        let waited = "\(words.name(of: finding)) \(verb) \(words.duration(finding.measure))"
        let holders = holders(of: finding, words)
        return words.sentence("\(waited) for \(words.name(finding.executor)), where \(blocked) blocked in a wait\(holders).")
    }

    /// The places of the blocks that wait: `: the block at Load.swift:12`.
    private func holders(of finding: Finding, _ words: WarningWords) -> String {
        var names: [String] = []
        for wait in finding.evidence where wait.kind == .waitBegan && wait.other.isBlock {
            let name = words.name(wait.other)
            if !names.contains(name) { names.append(name) }
        }
        return names.isEmpty ? "" : ": " + names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and others" : "")
    }

    private func heldMessage(of finding: Finding, _ words: WarningWords) -> String {
        let keepers = finding.evidence.dropFirst().filter { $0.task != finding.task }
        let name = keepers.first.map { words.name($0.task) } ?? "a task"
        let others = keepers.count > 1 ? " and \(CountText.text(keepers.count - 1, "more"))" : ""
        let verb = finding.evidence.contains { $0.kind == .started && $0.task == finding.task } ? "waited" : "has been waiting"
        return words.sentence(
            "\(words.name(of: finding)) \(verb) \(words.duration(finding.measure)) for a thread of Swift's pool, "
                + "all kept by \(name)\(others).")
    }
}

private final class PoolStarvationDetector: WarningDetector {
    /// A time in which all of an executor's running jobs blocked.
    private struct Block {
        var from: UInt64
        var to: UInt64
        var waits: [Evidence]
        var isReported = false
    }

    private let rule: PoolStarvation
    private let threshold: UInt64
    /// By executor, the latest such time that has ended.
    private var blocks: [ExecutorID: Block] = [:]
    @exclusivity(unchecked) private var pool: SwiftPool

    init(rule: PoolStarvation, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
        pool = SwiftPool(threshold: threshold)
    }

    override var kinds: Set<EventKind> { [.waitEnded, .started, .suspended, .completed, .faulted, .cancelled] }

    override func missEvents() {
        blocks = [:]
        pool = SwiftPool(threshold: threshold)
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        if event.kind == .waitEnded {
            guard let executor = scene.jobs.wait(on: lane)?.job?.executor else { return }
            noteBlock(of: executor, scene)
        } else if event.kind != .started {
            if let job = scene.endedSlice { pool.end(job, at: event.time) }
        } else if event.detail == StartManner.slice.rawValue, !event.task.isBlock {
            beginSlice(event, lane: lane, scene)
        } else if event.detail == StartManner.dequeued.rawValue || isOfPool(event, scene) {
            // Another thread of the executor begins to work.
            noteBlock(of: event.executor, scene)
            if !blocks.isEmpty { noteVictim(event, scene) }
        }
    }

    /// Whether a block begins on a concurrent queue. A serial queue has one thread, whose waits are `blocking-wait` on main.
    private func isOfPool(_ event: TaskEvent, _ scene: WarningScene) -> Bool {
        event.detail == StartManner.slice.rawValue && event.task.isBlock && scene.kind(of: event.executor) == .pool
    }

    /// The slice that begins may have waited for threads that other slices kept.
    private func beginSlice(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        let kind = scene.kind(of: event.executor)
        if kind == .global, let held = pool.held, let queued = scene.jobs.queuedJob(of: event.task), queued.executor == event.executor,
            let time = held.time(from: queued.since, threshold: threshold), let task = scene.store.task(event.task)
        {
            pool.held?.isReported = true
            let enqueued = Evidence(.enqueued, of: task.id, on: event.executor, at: queued.since)
            scene.report(
                Finding(
                    rule, task, executor: event.executor, at: max(queued.since, held.from), measure: time,
                    evidence: [enqueued] + held.keepers + [Evidence(event)]))
        }
        guard kind == .global || kind == .actor else { return }
        pool.begin(
            ThreadJobs.Job(
                task: event.task, executor: event.executor, since: event.time, lane: scene.jobs.firstLane(of: lane), isSlice: true))
    }

    private func noteBlock(of executor: ExecutorID, _ scene: WarningScene) {
        guard let since = scene.jobs.blockedSince(executor) else { return }
        blocks[executor] = Block(from: since, to: scene.now, waits: waits(of: executor, scene))
    }

    /// The job that begins may have waited for threads that blocked.
    private func noteVictim(_ event: TaskEvent, _ scene: WarningScene) {
        guard let block = blocks[event.executor], !block.isReported, let task = scene.store.task(event.task), let queued = task.queued
        else { return }
        let from = max(queued, block.from)
        guard block.to > from, block.to - from > threshold else { return }
        blocks[event.executor]?.isReported = true
        let evidence = [Evidence(.enqueued, of: task.id, on: event.executor, at: queued)] + block.waits + [Evidence(event)]
        scene.report(Finding(rule, task, executor: event.executor, at: from, measure: block.to - from, evidence: evidence))
    }

    private func waits(of executor: ExecutorID, _ scene: WarningScene) -> [Evidence] {
        scene.jobs.jobs(on: executor).prefix(Finding.evidenceLimit / 2).compactMap { job in
            scene.jobs.wait(on: job.lane).map { Evidence(.waitBegan, of: $0.task, by: $0.waiter, on: executor, at: $0.since) }
        }
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        standingInPool(scene) + standingInQueues(scene)
    }

    private func standingInPool(_ scene: WarningScene) -> [Finding] {
        guard let since = pool.fullSince else { return [] }
        return scene.store.executors.filter { $0.kind == .global }.compactMap { executor in
            guard let victim = executor.queue.first(where: { _ in true }), let task = scene.store.task(victim.task) else { return nil }
            let from = max(victim.since, since)
            guard scene.elapsed(since: from) > threshold else { return nil }
            let evidence = [Evidence(.enqueued, of: task.id, on: executor.id, at: victim.since)] + pool.keepers
            return Finding(rule, task, executor: executor.id, at: from, measure: scene.elapsed(since: from), evidence: evidence)
        }
    }

    private func standingInQueues(_ scene: WarningScene) -> [Finding] {
        scene.jobs.blockedExecutors.filter { scene.kind(of: $0) != .global }.compactMap { executor in
            guard let since = scene.jobs.blockedSince(executor), let queue = scene.store.executor(executor)?.queue,
                let victim = queue.first(where: { _ in true }), let task = scene.store.task(victim.task)
            else { return nil }
            if task.id.isBlock, scene.kind(of: executor) != .pool { return nil }
            let from = max(victim.since, since)
            guard scene.elapsed(since: from) > threshold else { return nil }
            let evidence = [Evidence(.enqueued, of: task.id, on: executor, at: victim.since)] + waits(of: executor, scene)
            return Finding(rule, task, executor: executor, at: from, measure: scene.elapsed(since: from), evidence: evidence)
        }
    }
}
