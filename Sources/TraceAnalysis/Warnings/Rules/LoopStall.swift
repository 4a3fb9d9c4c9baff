import TaskEvents
import TraceStore

/// An event loop did not come back to its wait for so long that its other connections notice it.
struct LoopStall: WarningRule {
    let id = "loop-stall"
    let severity = WarningSeverity.warning
    let summary = "an event loop did not come back to its wait for too long"
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = [.blocks]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        LoopStallDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let isOver = finding.evidence.contains { $0.kind == .jobEnded }
        let held = finding.task == .none ? "" : ": \(words.name(of: finding)) ran"
        let verb = isOver ? "did not come back" : "has not come back"
        return words.sentence("\(words.name(finding.executor)) \(verb) to its wait for \(words.duration(finding.measure))\(held).")
    }
}

private final class LoopStallDetector: WarningDetector {
    private let rule: LoopStall
    private let threshold: UInt64

    init(rule: LoopStall, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.jobEnded] }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        guard event.task == .none, scene.kind(of: event.executor) == .loop, let tick = scene.jobs.job(endedBy: event, lane: lane) else {
            return
        }
        if let finding = finding(tick, scene, end: event) { scene.report(finding) }
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        scene.store.executors.filter { $0.kind == .loop }.flatMap { scene.jobs.jobs(on: $0.id) }
            .compactMap { finding($0, scene, end: nil) }
    }

    private func finding(_ tick: ThreadJobs.Job, _ scene: WarningScene, end: TaskEvent?) -> Finding? {
        let time = scene.elapsed(since: tick.since)
        guard time > threshold else { return nil }
        let started = Evidence(.started, of: .none, on: tick.executor, label: tick.closure, at: tick.since)
        return Finding(
            rule, longest(in: tick, until: scene.now, time, scene), executor: tick.executor, at: tick.since, measure: time,
            evidence: [started] + (end.map { [Evidence($0)] } ?? []), closure: tick.closure)
    }

    /// The task or block that ran on the loop's thread for more than half of the tick. Nil if none did, or if it is no longer kept.
    private func longest(in tick: ThreadJobs.Job, until end: UInt64, _ time: UInt64, _ scene: WarningScene) -> TaskView? {
        var longest: (task: TaskID, nanoseconds: UInt64) = (.none, time / 2)
        scene.store.jobs.forEach(in: tick.since...max(tick.since, end)) { job in
            guard Int(job.lane) == tick.lane, job.task != .none, job.since >= tick.since, job.duration > longest.nanoseconds else {
                return true
            }
            longest = (job.task, job.duration)
            return true
        }
        return scene.store.task(longest.task)
    }
}
