import TaskEvents

/// A user's settings for warnings: changed thresholds, disabled rules, suppressed names, and the names of tasks and
/// actors of which a rule must know more than a trace tells.
package struct WarningSettings: Hashable, Sendable {
    /// The limit by rule id, in the unit of the rule's threshold.
    package var thresholds: [String: UInt64] = [:]
    package var off: Set<String> = []
    package var suppressions: [WarningSuppression] = []
    /// Names of tasks whose bodies must run on main. The rule `off-main` checks them.
    package var mainNames: [NamePattern] = []
    /// Names of actors whose calls must not repeat work that another call has begun. The rule `actor-reentrancy` checks them.
    package var onceNames: [NamePattern] = []

    package init() {}

    package func isOff(_ rule: String) -> Bool { off.contains(rule) }

    func isSuppressed(_ rule: String, name: String) -> Bool {
        suppressions.contains { ($0.rule == nil || $0.rule == rule) && $0.name.matches(name) }
    }
}

/// Hides findings of one rule or of all rules, by the name of the task. A finding without a task's name is compared by its executor's name.
package struct WarningSuppression: Hashable, Sendable {
    /// Nil for all rules.
    package var rule: String?
    package var name: NamePattern

    package init(rule: String?, name: NamePattern) {
        self.rule = rule
        self.name = name
    }
}
