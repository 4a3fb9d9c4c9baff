import TaskEvents

/// A rule's name, as `--fail-on` takes it: `unobserved-fault`.
package struct CheckRule: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An error that nobody ever read.
    package static let unobservedFault = CheckRule(rawValue: "unobserved-fault")
    /// An error that a body ran on, or a join ended without, and that nobody read.
    package static let swallowedError = CheckRule(rawValue: "swallowed-error")

    package static func < (one: CheckRule, other: CheckRule) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// What a check has found: a rule that a task broke, and what proves it.
package struct CheckFinding: Hashable, Sendable {
    package enum Severity: String, CaseIterable, Sendable {
        case error, warning, note
    }

    /// One piece of proof: a task, and what it did.
    package struct Evidence: Hashable, Sendable {
        package var task: TaskID
        package var text: String

        package init(task: TaskID, text: String) {
            self.task = task
            self.text = text
        }
    }

    package var rule: CheckRule
    package var severity: Severity
    /// `.none` where the finding is about no single task.
    package var task: TaskID
    /// A sentence without the task's name.
    package var message: String
    package var evidence: [Evidence]

    package init(rule: CheckRule, severity: Severity, task: TaskID, message: String, evidence: [Evidence] = []) {
        self.rule = rule
        self.severity = severity
        self.task = task
        self.message = message
        self.evidence = evidence
    }
}
