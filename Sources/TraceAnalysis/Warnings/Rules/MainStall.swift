import TaskEvents
import TraceStore

/// A job that kept the main queue to itself for longer than a user overlooks.
struct MainStall: WarningRule {
    let id = "main-stall"
    let severity = WarningSeverity.warning
    let summary = "a job kept the main queue busy for too long"
    let threshold: WarningThreshold? = .milliseconds(100)

    func watch(_ settings: WarningSettings) -> any WarningWatch {
        Watch(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let isOver = finding.evidence.contains { $0.kind == .jobEnded }
        let verb = isOver ? "kept" : "has kept"
        let name = words.sentence(words.name(of: finding))
        return "\(name) \(verb) \(words.name(finding.executor)) busy for \(words.duration(finding.measure))."
    }
}

private final class Watch: WarningWatch {
    private let rule: MainStall
    private let threshold: UInt64

    init(rule: MainStall, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    var kinds: Set<EventKind> { [.jobEnded] }

    func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        guard scene.kind(of: event.executor) == .main, let job = scene.jobs.job(endedBy: event, lane: lane) else { return }
        if let finding = finding(job, scene, end: event) { scene.report(finding) }
    }

    func standing(_ scene: WarningScene) -> [Finding] {
        scene.store.executors.filter { $0.kind == .main }.flatMap { scene.jobs.jobs(on: $0.id) }.compactMap { finding($0, scene, end: nil) }
    }

    private func finding(_ job: ThreadJobs.Job, _ scene: WarningScene, end: TaskEvent?) -> Finding? {
        let time = scene.elapsed(since: job.since)
        guard time > threshold else { return nil }
        let start = Evidence(.started, of: job.task, on: job.executor, at: job.since)
        return Finding(
            rule, scene.store.task(job.task), executor: job.executor, at: job.since, measure: time,
            evidence: [start] + (end.map { [Evidence($0)] } ?? []))
    }
}
