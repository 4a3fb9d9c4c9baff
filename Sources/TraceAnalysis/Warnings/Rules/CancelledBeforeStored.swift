import TaskEvents
import TraceStore

/// A cancelled task awaits a continuation that nothing resumes, in the scope of a cancellation handler which ran before the wait began. The
/// handler is there to resume the continuation, and found none: its owner had not stored it yet.
struct CancelledBeforeStored: WarningRule {
    let id = "cancelled-before-stored"
    let severity = WarningSeverity.warning
    let summary = "a task was cancelled before its continuation was stored, so its handler found nothing to resume"
    /// The time for which the task has waited.
    let threshold: WarningThreshold? = .milliseconds(100)
    let needs: TraceRoutes = [.created, .cancellation, .slices, .waits]

    func detector(_ settings: WarningSettings) -> WarningDetector {
        CancelledBeforeStoredDetector(rule: self, threshold: settings.threshold(of: self))
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let name = words.sentence(words.name(of: finding))
        let before = words.duration(finding.numbers.first ?? 0)
        let site = words.callSite(finding.site).map { " at \($0)" } ?? ""
        return
            "\(name) was cancelled \(before) before it began to await a continuation\(site): its cancellation handler had run, and nothing "
            + "has resumed the continuation in \(words.duration(finding.measure))."
    }
}

private final class CancelledBeforeStoredDetector: WarningDetector {
    private let rule: CancelledBeforeStored
    private let threshold: UInt64
    /// The cancelled tasks that have not been seen to end.
    private var cancelled: Set<TaskID> = []

    init(rule: CancelledBeforeStored, threshold: UInt64) {
        self.rule = rule
        self.threshold = threshold
    }

    override var isOfSwift: Bool { true }
    override var kinds: Set<EventKind> { [.cancellationAsked, .completed, .faulted, .cancelled] }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        if event.kind == .cancellationAsked {
            if scene.store.task(event.task)?.state.hasEnded == false { cancelled.insert(event.task) }
        } else if !cancelled.isEmpty {
            cancelled.remove(event.task)
        }
    }

    override func standing(_ scene: WarningScene) -> [Finding] {
        cancelled.sorted().compactMap { scene.store.task($0) }.compactMap { finding($0, scene) }
    }

    private func finding(_ task: TaskView, _ scene: WarningScene) -> Finding? {
        guard task.state == .suspended, task.suspension == .continuation, task.waitsFor == nil, !task.isUncertain,
            let since = task.suspendedSince, scene.elapsed(since: since) > threshold,
            let request = task.requestedCancellation, request.at < since
        else { return nil }
        let calls = task.awaitedCalls
        // A handler in the scope of which the task waits ran at the request, or at its own beginning.
        guard let handler = scene.store.entries.cancellationHandlers(in: calls).first, !handler.isMachinery else { return nil }
        let proof = [
            Evidence(.cancellationAsked, of: task.id, by: request.asker, label: request.site, at: request.at),
            Evidence(.suspended, of: task.id, label: calls, at: since),
        ]
        return Finding(
            rule, task, at: since, measure: scene.elapsed(since: since), numbers: [since - request.at], evidence: proof, harm: proof[1],
            site: calls)
    }
}
