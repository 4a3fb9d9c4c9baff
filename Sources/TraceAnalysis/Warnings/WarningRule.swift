import TaskEvents
import TraceStore

/// A kind of problem in a program, and the way to find it in a trace.
///
/// Each rule has its own file. ``WarningRules/all`` lists the rules, and no other place names them. A rule that could be wrong reports
/// nothing. A rule has no state: the ``WarningDetector`` that it makes for a trace holds the state.
package protocol WarningRule: Sendable {
    /// The name in reports and settings. It never changes.
    var id: String { get }
    var severity: WarningSeverity { get }
    /// The problem as a sentence without a full stop.
    var summary: String { get }
    /// The limit that a finding exceeds. Nil for a rule without a measured value.
    var threshold: WarningThreshold? { get }

    /// The routes of observation that the rule needs. If a trace of Swift tasks lacks one, the rule reports nothing and is *not checked*.
    var needs: TraceRoutes { get }

    /// The routes without which the rule finds a part of its problems only. If a trace of Swift tasks lacks one, the rule reports what it
    /// finds and is *not checked*.
    var sees: TraceRoutes { get }

    /// Whether the rule needs tasks that ended long ago. If the store has dropped any of them, the rule is not checked.
    var needsEndedTasks: Bool { get }

    /// Whether the rule finds some of its problems only at the program's end. If the trace ends earlier, the rule is not checked.
    var needsEnd: Bool { get }

    /// The missing setting without which the rule has nothing to look for, as a clause. Nil if no setting is missing.
    func missingSetting(_ settings: WarningSettings) -> String?

    /// The detector that looks for the problem in one trace, with the settings in force.
    func detector(_ settings: WarningSettings) -> WarningDetector

    /// The finding as a whole sentence.
    func message(of finding: Finding, _ words: WarningWords) -> String
}

extension WarningRule {
    package var sees: TraceRoutes { [] }
    package var needsEndedTasks: Bool { false }
    package var needsEnd: Bool { false }
    package func missingSetting(_ settings: WarningSettings) -> String? { nil }
}

extension Finding {
    /// - Parameters:
    ///   - harm: the index in `evidence` of the event that shows the harm. If nil, the first event that is not a task's creation.
    ///   - closure: the name and call site of a job without a task.
    package init(
        _ rule: some WarningRule, _ task: TaskView?, executor: ExecutorID = .none, at: UInt64, measure: UInt64 = 0, numbers: [UInt64] = [],
        evidence: [Evidence], harm: Evidence? = nil, site: EntryID = .none, closure: EntryID = .none
    ) {
        self.rule = rule.id
        severity = rule.severity
        self.task = task?.id ?? .none
        label = task?.labelID ?? closure
        name = task?.nameID ?? .none
        self.site = site == .none ? label : site
        self.executor = executor
        self.at = at
        self.measure = measure
        self.numbers = numbers
        var kept = Array(evidence.prefix(Self.evidenceLimit))
        if let harm, !kept.contains(harm) { kept[kept.count - 1] = harm }
        self.evidence = kept
        self.harm = harm.flatMap { kept.firstIndex(of: $0) } ?? kept.firstIndex { $0.kind != .created } ?? 0
    }
}

extension WarningSettings {
    /// The threshold in force, in the rule's unit. 0 for a rule without one.
    package func threshold(of rule: some WarningRule) -> UInt64 {
        thresholds[rule.id] ?? rule.threshold?.value ?? 0
    }
}
