import TaskEvents

/// The findings by task, for the warning signs of a list and the query field `warn:`.
package struct WarningIndex: Sendable {
    private var byRule: [String: Set<TaskID>] = [:]
    private var byTask: [TaskID: [Finding]] = [:]

    package init() {}

    /// Indexes the list's kept findings that concern a task.
    package init(_ list: WarningList) {
        for finding in list.findings where finding.task != .none {
            byRule[finding.rule, default: []].insert(finding.task)
            byTask[finding.task, default: []].append(finding)
        }
    }

    /// The tasks for which these rules have findings. Nil stands for all rules.
    package func tasks(of rules: Set<String>?) -> Set<TaskID> {
        guard let rules else { return Set(byTask.keys) }
        return rules.reduce(into: []) { $0.formUnion(byRule[$1] ?? []) }
    }

    /// The findings for a task in the list's order, the worst first.
    package func findings(of task: TaskID) -> [Finding] {
        byTask[task] ?? []
    }
}
