import TaskEvents
import TraceStore

/// Jobs waited in a queue while every job that its executor ran was itself waiting for a task: threads enough, and none that works.
struct PoolStarvation: WarningRule {
    let id = "pool-starvation"
    let severity = WarningSeverity.warning
    let summary = "all threads of an executor were blocked while jobs waited for them"
    let threshold: WarningThreshold? = .milliseconds(100)

    func watch(_ settings: WarningSettings) -> any WarningWatch {
        Watch(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let threads = finding.evidence.count { $0.kind == .waitBegan }
        let verb = finding.evidence.contains { $0.kind == .started } ? "waited" : "has been waiting"
        let blocked = threads == 1 ? "its one running job was" : "all \(CountText.text(threads)) running jobs were"
        let waited = "\(words.name(of: finding)) \(verb) \(words.duration(finding.measure))"
        return words.sentence("\(waited) for \(words.name(finding.executor)), where \(blocked) blocked in a wait.")
    }
}

private final class Watch: WarningWatch {
    /// A time in which all of an executor's running jobs blocked.
    private struct Block {
        var from: UInt64
        var to: UInt64
        var waits: [Evidence]
        var isReported = false
    }

    private let rule: PoolStarvation
    private let threshold: UInt64
    /// The latest that has ended, by executor.
    private var blocks: [ExecutorID: Block] = [:]

    init(rule: PoolStarvation, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    var kinds: Set<EventKind> { [.waitEnded, .started] }

    func missEvents() {
        blocks = [:]
    }

    func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        if event.kind == .waitEnded {
            guard let executor = scene.jobs.wait(on: lane)?.job?.executor else { return }
            noteBlock(of: executor, scene)
        } else if event.detail == StartManner.dequeued.rawValue {
            // Another of its threads begins to work.
            noteBlock(of: event.executor, scene)
            if !blocks.isEmpty { noteVictim(event, scene) }
        }
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

    func standing(_ scene: WarningScene) -> [Finding] {
        scene.jobs.blockedExecutors.compactMap { executor in
            guard let since = scene.jobs.blockedSince(executor), let queue = scene.store.executor(executor)?.queue,
                let victim = queue.first(where: { _ in true }), let task = scene.store.task(victim.task)
            else { return nil }
            let from = max(victim.since, since)
            guard scene.elapsed(since: from) > threshold else { return nil }
            let evidence = [Evidence(.enqueued, of: task.id, on: executor, at: victim.since)] + waits(of: executor, scene)
            return Finding(rule, task, executor: executor, at: from, measure: scene.elapsed(since: from), evidence: evidence)
        }
    }
}
