import TaskEvents

/// A continuation did not look at an error, or a join ended without it: the program went on as if nothing had failed.
struct SwallowedError: WarningRule {
    let id = "swallowed-error"
    let severity = WarningSeverity.warning
    let summary = "a body ran on a failed task and never looked at the error"
    let threshold: WarningThreshold? = nil
    let needs = TraceSight.routesOfReads
    let needsEndedTasks = true
    let needsEnd = true

    func detector(_ settings: WarningSettings) -> WarningDetector {
        FaultDetector(self, .swallowed)
    }

    func message(of finding: Finding, _ words: WarningWords) -> String {
        let error = words.error(finding.evidence[0].label)
        let failed = "\(words.name(of: finding)) failed with \(error)"
        guard let body = finding.evidence.dropFirst().first(where: { $0.kind == .started }) else {
            return "\(failed), and a join ended without it: the error was never read."
        }
        return "\(failed), and \(words.name(body.task)) ran on it without reading it."
    }
}
