import TaskEvents
import TraceStore

/// A task that had ended was completed again by a call that promises to be the only one. A late `trySet` reports the failure in its result
/// and is not an error.
struct CompletedTwice: WarningRule {
    let id = "completed-twice"
    let severity = WarningSeverity.error
    let summary = "a task that had ended was set again"
    let threshold: WarningThreshold? = nil
    let needs: TraceRoutes = []

    func detector(_ settings: WarningSettings) -> WarningDetector {
        CompletedTwiceDetector(rule: self)
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let again = finding.evidence.last.flatMap { words.site($0.label) }.map { " at \($0)" } ?? ""
        return words.sentence("\(words.name(of: finding)) had ended and was set again\(again).")
    }
}

private final class CompletedTwiceDetector: WarningDetector {
    private let rule: CompletedTwice

    init(rule: CompletedTwice) {
        self.rule = rule
    }

    override var kinds: Set<EventKind> { [.completedTwice] }

    override func see(_ event: TaskEvent, lane: Int, _ scene: WarningScene) {
        guard event.detail == 1 else { return }
        let task = scene.store.task(event.task)
        let end = task?.endEvidence.map { [$0] } ?? []
        scene.report(Finding(rule, task, at: event.time, evidence: end + [Evidence(event)], harm: Evidence(event)))
    }
}
