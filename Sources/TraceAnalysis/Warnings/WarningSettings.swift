import TaskEvents

/// A user's settings for warnings: thresholds other than the rules' own, rules that are off, names that a rule leaves alone, and names of tasks
/// that belong on main.
package struct WarningSettings: Hashable, Sendable {
    /// Rule's id to limit, in the unit of the rule's threshold.
    package var thresholds: [String: UInt64] = [:]
    package var off: Set<String> = []
    package var suppressions: [WarningSuppression] = []
    /// Tasks whose bodies are to run on main: what `off-main` looks for.
    package var mainNames: [NamePattern] = []

    package init() {}

    package func isOff(_ rule: String) -> Bool { off.contains(rule) }

    /// The threshold in force, in the rule's unit; 0 for a rule that has none.
    package func threshold(of rule: some WarningRule) -> UInt64 {
        thresholds[rule.id] ?? rule.threshold?.value ?? 0
    }

    func isSuppressed(_ rule: String, name: String) -> Bool {
        suppressions.contains { ($0.rule == nil || $0.rule == rule) && $0.name.matches(name) }
    }
}

/// Findings that are not to be listed: those of one rule, or of all, about tasks (or executors, where no task is named) of certain names.
package struct WarningSuppression: Hashable, Sendable {
    /// Nil for all rules.
    package var rule: String?
    package var name: NamePattern

    package init(rule: String?, name: NamePattern) {
        self.rule = rule
        self.name = name
    }
}
