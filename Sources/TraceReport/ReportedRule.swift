import TextOutput
import TraceAnalysis

/// A rule in the JSON report: whether the trace was checked for it.
struct ReportedRule: JSONFields {
    private let check: RuleCheck

    init(_ check: RuleCheck) {
        self.check = check
    }

    func writeFields(to line: inout JSONLine) {
        line.field("checked", check.isChecked)
        line.field("rule", check.rule)
        line.field("why", orNull: check.why)
    }
}
