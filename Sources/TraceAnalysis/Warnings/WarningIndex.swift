import TaskEvents

/// What the rules say, by task: for a list's marks and a query's `warn:`.
package struct WarningIndex: Sendable {
    private var byRule: [String: Set<TaskID>] = [:]
    private var bySeverity: [TaskID: WarningSeverity] = [:]

    package init() {}

    /// Of the findings that the list keeps, those that are about a task.
    package init(_ list: WarningList) {
        for finding in list.findings where finding.task != .none {
            byRule[finding.rule, default: []].insert(finding.task)
            bySeverity[finding.task] = min(bySeverity[finding.task] ?? .note, finding.severity)
        }
    }

    /// The tasks of some rules, of all if nil.
    package func tasks(of rules: Set<String>?) -> Set<TaskID> {
        guard let rules else { return Set(bySeverity.keys) }
        return rules.reduce(into: []) { $0.formUnion(byRule[$1] ?? []) }
    }

    /// The worst that the rules say of a task; nil for nothing.
    package func severity(of task: TaskID) -> WarningSeverity? {
        bySeverity[task]
    }
}
