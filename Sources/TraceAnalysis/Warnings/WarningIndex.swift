import TaskEvents

/// The findings by task: for a list's marks and a query's `warn:`.
package struct WarningIndex: Sendable {
    private var byRule: [String: Set<TaskID>] = [:]
    private var byTask: [TaskID: [Finding]] = [:]

    package init() {}

    /// Of the findings that the list keeps, those that are about a task.
    package init(_ list: WarningList) {
        for finding in list.findings where finding.task != .none {
            byRule[finding.rule, default: []].insert(finding.task)
            byTask[finding.task, default: []].append(finding)
        }
    }

    /// The tasks of some rules, of all if nil.
    package func tasks(of rules: Set<String>?) -> Set<TaskID> {
        guard let rules else { return Set(byTask.keys) }
        return rules.reduce(into: []) { $0.formUnion(byRule[$1] ?? []) }
    }

    /// What the rules say of a task, in the list's order: the worst first.
    package func findings(of task: TaskID) -> [Finding] {
        byTask[task] ?? []
    }
}
