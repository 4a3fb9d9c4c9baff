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
        suppressions.contains { ($0.rule == nil || $0.rule == rule) && $0.hides(name) }
    }
}

/// Hides findings of one rule or of all rules, by the name of the task. A finding without a task's name is compared by its executor's name.
package struct WarningSuppression: Hashable, Sendable {
    private enum Names: Hashable, Sendable {
        case matching(NamePattern)
        case only(String)
    }

    /// Nil for all rules.
    package let rule: String?
    private let names: Names

    package init(rule: String?, names pattern: NamePattern) {
        self.rule = rule
        names = .matching(pattern)
    }

    /// Hides the findings about one name. A `*` or `?` in it stands for itself.
    package init(rule: String?, name: String) {
        self.rule = rule
        names = .only(name)
    }

    func hides(_ name: String) -> Bool {
        switch names {
        case .matching(let pattern): pattern.matches(name)
        case .only(let only): only == name
        }
    }
}
