/// What a user wants to be warned of: thresholds other than the rules' own, rules that are off, and names that a rule is to leave alone.
package struct WarningSettings: Hashable, Sendable {
    /// Rule's id to limit, in the unit of the rule's threshold.
    package var thresholds: [String: UInt64] = [:]
    package var off: Set<String> = []
    package var suppressions: [WarningSuppression] = []

    package init() {}

    package func isOff(_ rule: String) -> Bool { off.contains(rule) }

    /// The threshold in force.
    package func threshold(of rule: some WarningRule) -> WarningThreshold? {
        rule.threshold.map { WarningThreshold(value: thresholds[rule.id] ?? $0.value, unit: $0.unit) }
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

    func isAbout(_ rule: String) -> Bool {
        self.rule == nil || self.rule == rule
    }
}
