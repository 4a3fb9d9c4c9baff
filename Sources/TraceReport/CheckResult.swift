import TaskEvents
import TraceAnalysis
import TraceStore

/// What a check of a trace comes to, and whether it fails: for people, programs and build servers.
///
/// `rules` are those that were looked for, `findings` what was found of them, wherever it comes from.
package struct CheckResult {
    package enum Format: String, CaseIterable, Sendable {
        case text, json, junit
    }

    let store: TraceStore
    let program: String
    let rules: [CheckRule]
    let findings: [CheckFinding]
    let failOn: FailOn
    /// Of each rule, whether the trace was checked for it.
    let checks: [RuleCheck]

    /// The findings are told by rule in the order of `rules`, and among those of one rule in the order in which they are given.
    package init(
        of store: TraceStore, program: String, rules: [CheckRule], findings: some Sequence<CheckFinding>, failOn: FailOn,
        checks: [RuleCheck] = []
    ) {
        self.checks = checks
        self.store = store
        self.program = program
        self.rules = rules
        self.failOn = failOn
        let byRule = Dictionary(grouping: findings, by: \.rule)
        let foreign = byRule.keys.filter { !rules.contains($0) }
        precondition(foreign.isEmpty, "findings of rules that were not looked for: \(foreign.sorted().map(\.rawValue))")
        self.findings = rules.flatMap { byRule[$0] ?? [] }
    }

    /// Whether there is a finding that the check is to fail on.
    package var hasFailed: Bool {
        findings.contains { failOn.includes($0.rule) }
    }

    /// Why the rule could not be checked; nil if it was.
    func obstacle(to rule: CheckRule) -> String? {
        checks.first { $0.rule == rule.rawValue }?.why
    }

    package func write(_ format: Format, to output: inout some TextOutputStream) {
        CheckResults(self).write(format, to: &output)
    }

    /// `saveRecord (12)`; `task 12` for a task without a name, and nothing for none.
    func name(of task: TaskID) -> String? {
        guard task != .none else { return nil }
        guard let view = store.task(task), !view.label.name.isEmpty, view.labelID != .none else { return "task \(task.rawValue)" }
        return "\(view.label.name) (\(task.rawValue))"
    }

    func site(of task: TaskID) -> String? {
        guard let site = store.task(task)?.label.site, !site.isEmpty else { return nil }
        return site
    }
}
