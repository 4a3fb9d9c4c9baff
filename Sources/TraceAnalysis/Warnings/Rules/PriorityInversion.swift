import TaskEvents
import TraceStore

/// A task waited for main or for an actor while a slice of a less urgent task occupied it.
struct PriorityInversion: WarningRule {
    let id = "priority-inversion"
    let severity = WarningSeverity.warning
    let summary = "a task waited for an actor that a less urgent one kept"
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = [.slices, .queues, .ends]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        PriorityInversionDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let time = words.duration(finding.measure)
        let waited = "\(words.name(of: finding)) waited \(time) for \(words.name(finding.executor))"
        return words.sentence("\(waited), kept by \(words.name(finding.evidence[1].task)), which is less urgent.")
    }
}

private final class PriorityInversionDetector: WarningDetector {
    /// The rule remembers at most this many long stays per executor.
    private static let room = 8

    private let rule: PriorityInversion
    private let threshold: UInt64
    /// By executor, the stays of slices that took longer than the threshold, with their ends.
    private var long: [ExecutorID: [(stay: ThreadJobs.Stay, end: UInt64)]] = [:]

    init(rule: PriorityInversion, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var isOfSwift: Bool { true }
    override var kinds: Set<EventKind> { [.started, .hopped, .suspended, .completed, .faulted, .cancelled] }

    override func missEvents() {
        long = [:]
    }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        if event.kind == .started {
            if !long.isEmpty { begin(event, scene) }
        } else if let stay = scene.jobs.stay(endedBy: event, lane: lane), event.time > stay.since, event.time - stay.since > threshold {
            end(stay, at: event.time, scene)
        }
    }

    private func end(_ stay: ThreadJobs.Stay, at time: UInt64, _ scene: WarningScene) {
        guard stay.priority > 0, scene.isSerial(stay.executor) else { return }
        long[stay.executor, default: []].append((stay, time))
        if long[stay.executor]!.count > Self.room { long[stay.executor]!.removeFirst() }
    }

    /// The job that begins may have waited for one of the long stays.
    private func begin(_ event: TaskEvent, _ scene: WarningScene) {
        guard let stays = long[event.executor], let queued = scene.jobs.queuedJob(of: event.task), queued.executor == event.executor,
            queued.priority > 0, let task = scene.store.task(event.task)
        else { return }
        for (stay, end) in stays where stay.priority < queued.priority && stay.task != event.task {
            let from = max(stay.since, queued.since)
            guard end > from, end - from > threshold else { continue }
            let evidence = [
                Evidence(.enqueued, of: task.id, on: event.executor, at: queued.since),
                beginning(of: stay), Evidence(event),
            ]
            scene.report(Finding(rule, task, executor: event.executor, at: from, measure: end - from, evidence: evidence))
            return
        }
    }

    private func beginning(of stay: ThreadJobs.Stay) -> Evidence {
        Evidence(stay.beginning ?? .hopped, of: stay.task, on: stay.executor, at: stay.beginning == nil ? nil : stay.since)
    }
}
