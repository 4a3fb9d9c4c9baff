import TaskEvents
import TraceAnalysis
import TraceStore

/// The name of a rule, such as `unobserved-fault`, as `--fail-on` accepts it.
package struct CheckRule: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// All rules that a check can apply.
    package static let all = WarningRules.all.map { CheckRule(rawValue: $0.id) }

    package static func < (one: CheckRule, other: CheckRule) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// A violation of a rule, with its evidence.
package struct CheckFinding: Hashable, Sendable {
    package enum Severity: String, CaseIterable, Sendable {
        case error, warning, note
    }

    package struct Evidence: Hashable, Sendable {
        package var task: TaskID
        /// The action of the task, such as `started on main at 12.1 ms`.
        package var text: String

        package init(task: TaskID, text: String) {
            self.task = task
            self.text = text
        }
    }

    package var rule: CheckRule
    package var severity: Severity
    /// `.none` if the finding concerns no single task.
    package var task: TaskID
    /// The place by which equal findings are grouped: a call site, or the name of a task or of an executor. Empty if unknown.
    package var place: String
    /// A whole sentence.
    package var message: String
    package var evidence: [Evidence] = []
    /// The number of lines of evidence that a text shows. Nil for the usual number.
    var evidenceLimit: Int?

    package init(
        rule: CheckRule, severity: Severity, task: TaskID, place: String = "", message: String, evidence: [Evidence] = [],
        evidenceLimit: Int? = nil
    ) {
        self.place = place
        self.evidenceLimit = evidenceLimit
        self.rule = rule
        self.severity = severity
        self.task = task
        self.message = message
        self.evidence = evidence
    }
}

extension CheckFinding {
    /// The findings in the list, in its order. Each is created when the iteration reaches it.
    package static func all(of list: WarningList, in store: TraceStore) -> some Sequence<CheckFinding> {
        list.groups.lazy.flatMap { group in
            group.findings.lazy.map { finding in
                CheckFinding(
                    rule: CheckRule(rawValue: finding.rule), severity: Severity(finding.severity), task: finding.task, place: group.place,
                    message: list.message(of: finding, in: store), evidence: finding.evidence.map { Evidence($0, in: store) })
            }
        }
    }
}

extension CheckFinding.Severity {
    init(_ severity: WarningSeverity) {
        switch severity {
        case .error: self = .error
        case .warning: self = .warning
        case .note: self = .note
        }
    }
}

extension CheckFinding.Evidence {
    /// For example `started on main at 12.1 ms`.
    fileprivate init(_ evidence: TraceAnalysis.Evidence, in store: TraceStore) {
        let place = evidence.executor == .none ? "" : " on \(store.description(of: evidence.executor).name)"
        let time = evidence.at.map { " at \(DurationText.text($0))" } ?? ""
        self.init(task: evidence.task, text: "\(EventDescription[evidence.kind].word)\(place)\(time)")
    }
}
