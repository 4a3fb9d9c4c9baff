import TaskEvents
import TraceStore

/// A job kept the main queue busy for so long that a user notices it.
struct MainStall: WarningRule {
    let id = "main-stall"
    let severity = WarningSeverity.warning
    let summary = "a job kept the main queue busy for too long"
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = [.slices, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        MainStallDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let isOver = finding.evidence.dropFirst().contains { $0.kind != .enqueued }
        let verb = isOver ? "kept" : "has kept"
        let victims = finding.evidence.count { $0.kind == .enqueued }
        let most = finding.evidence.count == Finding.evidenceLimit ? "at least " : ""
        let waiting = victims > 0 ? ", while \(most)\(CountText.text(victims, "job")) waited for it" : ""
        let name = words.sentence(words.name(of: finding))
        return "\(name) \(verb) \(words.name(finding.executor)) busy for \(words.duration(finding.measure))\(waiting)."
    }
}

private final class MainStallDetector: WarningDetector {
    private let rule: MainStall
    private let threshold: UInt64
    /// By task, the executor on which its job waits for main, and the time since which it waits.
    @exclusivity(unchecked) private var waiting = TaskMap<(executor: ExecutorID, since: UInt64)>()

    init(rule: MainStall, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.enqueued, .started, .jobEnded, .suspended, .completed, .faulted, .cancelled] }

    override func missEvents() {
        waiting = TaskMap()
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        case .enqueued where scene.kind(of: event.executor) == .main: waiting[event.task] = (event.executor, event.time)
        case .enqueued: break
        case .jobEnded: end(scene.jobs.job(endedBy: event, lane: lane), event, scene)
        case .suspended: end(scene.endedSlice, event, scene)
        case _:
            _ = waiting.remove(event.task)
            if event.kind != .started { end(scene.endedSlice, event, scene) }
        }
    }

    private func end(_ job: ThreadJobs.Job?, _ event: TaskEvent, _ scene: WarningScene) {
        guard let job, scene.kind(of: job.executor) == .main, let finding = finding(job, scene, end: event) else { return }
        scene.report(finding)
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        scene.store.mainExecutors.flatMap { scene.jobs.jobs(on: $0.id) }.compactMap { finding($0, scene, end: nil) }
    }

    private func finding(_ job: ThreadJobs.Job, _ scene: WarningScene, end: TaskEvent?) -> Finding? {
        let time = scene.elapsed(since: job.since)
        guard time > threshold else { return nil }
        let start = Evidence(.started, of: job.task, on: job.executor, label: job.closure, at: job.since)
        let victims = waiting.sorted().lazy.filter { $0.value.executor == job.executor && $0.key != job.task }
            .sorted { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
            .map { Evidence(.enqueued, of: $0.key, on: job.executor, at: $0.value.since) }
        return Finding(
            rule, scene.store.task(job.task), executor: job.executor, at: job.since, measure: time,
            evidence: [start] + (end.map { [Evidence($0)] } ?? []) + victims, closure: job.closure)
    }
}
