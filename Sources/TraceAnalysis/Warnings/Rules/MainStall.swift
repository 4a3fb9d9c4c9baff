import TaskEvents
import TraceStore

/// A job kept the main queue busy for so long that a user notices it; or jobs waited for main, and it ran nothing that the trace shows.
struct MainStall: WarningRule {
    let id = "main-stall"
    let severity = WarningSeverity.warning
    let summary = "a job kept the main queue busy for too long"
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = [.slices, .ends]
    let sees: TraceRoutes = .blocks

    func detector(_ settings: WarningSettings) -> WarningDetector {
        MainStallDetector(rule: self, threshold: settings.threshold(of: self))
    }

    /// The silence of main counts from this multiple of the threshold on, because an idle main takes its next job only after a thread wakes.
    fileprivate static let silence: UInt64 = 2

    func message(of finding: Finding, _ words: WarningWords) -> String {
        if finding.evidence[0].kind == .enqueued { return silenceMessage(of: finding, words) }
        let isOver = finding.evidence.dropFirst().contains { $0.kind != .enqueued }
        let verb = isOver ? "kept" : "has kept"
        let victims = finding.evidence.filter { $0.kind == .enqueued }
        let most = finding.evidence.count == Finding.evidenceLimit ? "at least " : ""
        let jobs = "\(most)\(CountText.text(victims.count, "job"))"
        // The first of those that wait now may be the one that main waits for itself.
        let first = isOver ? nil : victims.first.map { words.name($0.task) }
        let waiting: String
        switch (victims.count, first) {
        case (0, _): waiting = ""
        case (1, let first?): waiting = ", while \(first) waited for it"
        case (_, let first?): waiting = ", while \(jobs) waited for it, \(first) first"
        case (_, nil): waiting = ", while \(jobs) waited for it"
        }
        let name = words.sentence(words.name(of: finding))
        let from = finding.site == finding.label ? nil : words.callSite(finding.site).map { " after the await at \($0)" }
        return "\(name) \(verb) \(words.name(finding.executor)) busy for \(words.duration(finding.measure))\(from ?? "")\(waiting)."
    }
}

extension MainStall {
    private func silenceMessage(of finding: Finding, _ words: WarningWords) -> String {
        let isOver = finding.evidence.count > 1
        let name = words.name(finding.executor)
        return "\(name) \(isOver ? "took" : "has taken") no recorded job for \(words.duration(finding.measure)), while "
            + "\(words.name(of: finding)) waited for it: something that is not recorded held it."
    }
}

private final class MainStallDetector: WarningDetector {
    private let rule: MainStall
    private let threshold: UInt64
    /// By executor, the end of main's latest job.
    private var idleSince: [ExecutorID: UInt64] = [:]
    /// By task, the executor on which its job waits for main, and the time since which it waits.
    @exclusivity(unchecked) private var waiting = TaskMap<(executor: ExecutorID, since: UInt64)>()
    /// By task, the calls that its present or next slice on main continues.
    @exclusivity(unchecked) private var sites = TaskMap<EntryID>()

    init(rule: MainStall, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var kinds: Set<EventKind> { [.enqueued, .started, .hopped, .jobEnded, .suspended, .completed, .faulted, .cancelled, .held] }

    override func wants(_ kind: EventKind, detail: UInt8) -> Bool { kind != .hopped || detail == HopManner.dispatched.rawValue }

    override func missEvents() {
        waiting = TaskMap()
        sites = TaskMap()
        idleSince = [:]
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        switch event.kind {
        case .enqueued where scene.kind(of: event.executor) == .main: waiting[event.task] = (event.executor, event.time)
        case .enqueued: break
        case .jobEnded: end(scene.jobs.job(endedBy: event, lane: lane), event, scene)
        case .hopped: if event.label != .none, scene.kind(of: event.executor) == .main { sites[event.task] = event.label }
        case .suspended:
            end(scene.endedSlice, event, scene)
            if let job = scene.endedSlice, scene.kind(of: job.executor) == .main { sites[event.task] = event.label }
        case .started:
            if scene.kind(of: event.executor) == .main { silence(of: event.executor, scene, end: event).map(scene.report) }
            _ = waiting.remove(event.task)
        case .held: _ = waiting.remove(event.task)
        case _:
            _ = waiting.remove(event.task)
            end(scene.endedSlice, event, scene)
            _ = sites.remove(event.task)
        }
    }

    private func end(_ job: ThreadJobs.Job?, _ event: TaskEvent, _ scene: WarningScene) {
        guard let job, scene.kind(of: job.executor) == .main else { return }
        idleSince[job.executor] = event.time
        if let finding = finding(job, scene, end: event) { scene.report(finding) }
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        scene.store.mainExecutors.flatMap { main in
            scene.jobs.jobs(on: main.id).compactMap { finding($0, scene, end: nil) }
                + [silence(of: main.id, scene, end: nil)].compactMap(\.self)
        }
    }

    /// The time in which a job waited for main, and main ran no job that the trace shows.
    private func silence(of executor: ExecutorID, _ scene: WarningScene, end: TaskEvent?) -> Finding? {
        guard scene.jobs.jobs(on: executor).isEmpty, !scene.store.isSampled else { return nil }
        let limit = threshold.multipliedReportingOverflow(by: MainStall.silence).partialValue
        // Only a long silence is worth the search among all that wait.
        guard scene.elapsed(since: idleSince[executor] ?? 0) > limit else { return nil }
        let first = waiting.sorted().lazy.filter { $0.value.executor == executor }
            .min { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
        guard let first, let task = scene.store.task(first.key), scene.isWhole(task) else { return nil }
        let since = max(first.value.since, idleSince[executor] ?? 0)
        guard scene.elapsed(since: since) > limit else { return nil }
        let queued = Evidence(.enqueued, of: first.key, on: executor, at: first.value.since)
        return Finding(
            rule, task, executor: executor, at: since, measure: scene.elapsed(since: since),
            evidence: [queued] + (end.map { [Evidence($0)] } ?? []))
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
            evidence: [start] + (end.map { [Evidence($0)] } ?? []) + victims, site: sites[job.task] ?? .none, closure: job.closure)
    }
}
