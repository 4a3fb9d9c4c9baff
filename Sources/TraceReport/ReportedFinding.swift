import TaskEvents
import TextOutput
import TraceAnalysis
import TraceStore

/// A violation of a rule as every output states it, with its evidence.
package struct ReportedFinding: Sendable {
    package struct Evidence: Sendable {
        /// The task of the event; `.none` if there is none.
        package let task: TaskID
        /// The event. Nil for a line that describes no event.
        let event: (kind: EventKind, executor: String?, at: UInt64?)?
        /// The action of the task, such as `started on main at 12.1 ms`.
        package let text: String
    }

    package let rule: String
    package let severity: WarningSeverity
    /// `.none` if the finding concerns no single task.
    package let task: TaskID
    /// The call site of the problem. Nil if it is unknown.
    package let site: String?
    /// The place by which equal findings are grouped: a call site, or the name of a task or of an executor. Empty if unknown.
    package let group: String
    /// A whole sentence.
    package let message: String
    /// The time of the problem, in nanoseconds of the trace. Nil for a finding about a snapshot.
    package let at: UInt64?
    package let evidence: [Evidence]
    /// The number of lines of evidence that a text shows. Nil for the usual number.
    let evidenceLimit: Int?

    /// A finding that no rule of a trace made. Its evidence consists of whole lines.
    package init(
        _ rule: String, _ severity: WarningSeverity, _ message: String, site: String? = nil, evidence: [String] = [],
        evidenceLimit: Int? = nil
    ) {
        (self.rule, self.severity, self.message, self.site, self.evidenceLimit) = (rule, severity, message, site, evidenceLimit)
        (task, group, at) = (.none, "", nil)
        self.evidence = evidence.map { Evidence(task: .none, event: nil, text: $0) }
    }

    /// A finding about a task of a snapshot, which has no time.
    package init(_ rule: String, _ severity: WarningSeverity, _ message: String, task: TaskID, site: String?) {
        (self.rule, self.severity, self.message, self.task, self.site) = (rule, severity, message, task, site)
        (group, at, evidence, evidenceLimit) = (site ?? "", nil, [], nil)
    }

    package init(_ finding: Finding, of group: WarningGroup, in list: WarningList, _ store: TraceStore) {
        (rule, severity, task, at, self.group) = (finding.rule, finding.severity, finding.task, finding.at, group.site)
        site = list.site(of: finding, in: store)
        message = list.message(of: finding, in: store)
        evidence = finding.evidence.map { Evidence($0, in: store) }
        evidenceLimit = nil
    }

    /// The findings of the list, in its order. Each is made when the iteration reaches it.
    package static func all(of list: WarningList, in store: TraceStore) -> some Sequence<ReportedFinding> {
        list.groups.lazy.flatMap { group in group.findings.lazy.map { ReportedFinding($0, of: group, in: list, store) } }
    }

    /// Writes the keys of a report.
    package func write(to line: inout JSONLine) {
        line.array("evidence") { line in
            for evidence in evidence {
                line.object { line in
                    line.field("at_ns", orNull: evidence.event?.at)
                    line.field("event", orNull: evidence.event.map { EventDescription[$0.kind].name })
                    line.field("executor", orNull: evidence.event?.executor)
                    line.field("task", orNull: evidence.task)
                }
            }
        }
        line.field("message", message)
        line.field("rule", rule)
        line.field("severity", severity.name)
        line.field("task", orNull: task)
        line.field("where", orNull: site)
    }
}

extension ReportedFinding.Evidence {
    fileprivate init(_ evidence: TraceAnalysis.Evidence, in store: TraceStore) {
        let executor = store.name(of: evidence.executor)
        let site = executor.map { " on \($0)" } ?? ""
        let time = evidence.at.map { " at \(DurationText.text($0))" } ?? ""
        self.init(
            task: evidence.task, event: (evidence.kind, executor, evidence.at),
            text: "\(EventDescription[evidence.kind].word)\(site)\(time)")
    }
}
