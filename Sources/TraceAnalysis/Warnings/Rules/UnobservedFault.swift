import TaskEvents

/// No code ever read an error: it passed from task to task until no task continued its last carrier.
struct UnobservedFault: WarningRule {
    let id = "unobserved-fault"
    let severity = WarningSeverity.error
    let summary = "a task failed, and its error was never read"
    let threshold: WarningThreshold? = nil
    let needs = TraceSight.routesOfReads
    let needsEndedTasks = true
    let needsEnd = true

    func detector(_ settings: WarningSettings) -> WarningDetector {
        FaultDetector(self, .unobserved)
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let passed =
            finding.measure == 0
            ? "" : " It was passed on to \(CountText.text(finding.measure, "more task")), and was never read there either."
        let failed = "\(words.name(of: finding)) failed with \(words.error(finding.evidence[0].label))"
        guard let drop = finding.evidence.last, drop.kind == .released else { return "\(failed), and the error was never read.\(passed)" }
        let group = drop.other == .none ? "its group" : "the group of \(words.name(drop.other))"
        guard finding.measure == 0 else { return "\(failed), and the error was never read.\(passed) The end of \(group) dropped it." }
        return "\(failed), and the error was never read: no code asked \(group) for this result, and the end of the group dropped it."
    }
}
