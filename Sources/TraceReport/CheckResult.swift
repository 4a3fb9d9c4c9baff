import TaskEvents
import TraceAnalysis
import TraceStore

/// The result of a check of one trace, and whether the check fails.
///
/// `rules` are the rules that were checked. `findings` are the findings of these rules, from any source.
package struct CheckResult {
    package enum Format: String, CaseIterable, Sendable {
        case text, json, junit, sarif
    }

    let store: TraceStore
    /// The number of the program's tasks. Nil if unknown.
    let taskCount: Int?
    let program: String
    let rules: [String]
    let findings: [ReportedFinding]
    let failOn: FailOn
    /// For each rule, whether the trace was checked for it.
    let checks: [RuleCheck]
    let open: OpenTasks

    /// Findings are ordered by rule, in the order of `rules`. Findings of one rule keep the order in which they are passed.
    package init(
        of store: TraceStore, program: String, rules: [String], findings: some Sequence<ReportedFinding>, failOn: FailOn,
        checks: [RuleCheck] = []
    ) {
        self.init(store, program, rules, findings, failOn, checks, tasks: store.taskCount)
    }

    /// The result for a program that left no trace. `tasks` is the number of tasks that a look at it from outside has found; nil if there
    /// was no look.
    package init(program: String, rules: [String], findings: some Sequence<ReportedFinding>, failOn: FailOn, tasks: Int?) {
        self.init(TraceStore(), program, rules, findings, failOn, [], tasks: tasks)
    }

    private init(
        _ store: TraceStore, _ program: String, _ rules: [String], _ findings: some Sequence<ReportedFinding>, _ failOn: FailOn,
        _ checks: [RuleCheck], tasks: Int?
    ) {
        taskCount = tasks
        self.checks = checks
        self.store = store
        open = OpenTasks(in: store)
        self.program = program
        self.rules = rules
        self.failOn = failOn
        let byRule = Dictionary(grouping: findings, by: \.rule)
        let foreign = byRule.keys.filter { !rules.contains($0) }
        precondition(foreign.isEmpty, "findings of rules that were not checked: \(foreign.sorted())")
        self.findings = rules.flatMap { byRule[$0] ?? [] }
    }

    /// Whether any finding makes the check fail.
    package var hasFailed: Bool {
        findings.contains { failOn.includes($0.rule) }
    }

    /// The reason why the rule could not be checked. Nil if it was checked.
    func obstacle(to rule: String) -> String? {
        checks.first { $0.rule == rule }?.why
    }

    /// A name such as `saveRecord (12)`, or `task 12` for a task without a name. Nil for no task.
    func name(of task: TaskID) -> String? {
        guard task != .none else { return nil }
        guard let view = store.task(task), !view.label.name.isEmpty, view.labelID != .none else { return task.words }
        return "\(view.label.fullName) (\(task.shortWords))"
    }

    func site(of task: TaskID) -> String? {
        store.task(task)?.label.knownSite
    }

    /// The place of a finding, or else that of its task. All outputs name the same one.
    func site(of finding: ReportedFinding) -> String? {
        finding.site ?? site(of: finding.task)
    }

    /// The same place, as a file and a line.
    func place(of finding: ReportedFinding) -> (file: String, line: Int)? {
        guard let site = site(of: finding), let colon = site.lastIndex(of: ":"), colon > site.startIndex,
            let line = Int(site[site.index(after: colon)...]), line > 0
        else { return nil }
        return (String(site[..<colon]), line)
    }
}
