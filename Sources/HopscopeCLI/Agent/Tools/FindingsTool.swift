import RemoteTasks
import TaskEvents
import TraceAnalysis
import TraceReport

/// What the rules have found, and what could not be checked.
struct FindingsTool: AgentTool {
    let targets: AgentTargets

    let name = "findings"
    let title = "Findings of the rules"
    let use = """
        Use it to learn what is wrong with a recording or a process, as 'hopscope check' does: unread errors, deadlocks, a stalled main \
        queue, a hot actor, tasks that only become more. Each has the rule, the place, the number of findings alike and the evidence. \
        'not_checked' names the rules that the trace cannot prove or exclude, with the reason.
        """
    var parameters: [ToolParameter] {
        AgentTargets.parameters
            + [ToolParameter(name: "rule", kind: .text, meaning: "Only this rule's findings, such as main-stall.")] + PageParameters.all
    }

    func answer(_ arguments: ToolArguments, _ call: ToolCall) throws -> AgentAnswer {
        let rule = arguments.text("rule")
        let target = try targets.target(of: arguments)
        switch target {
        case .trace(let trace):
            guard rule.map({ WarningRules.named($0) != nil }) ?? true else {
                throw UserError(
                    "There is no rule '\(rule ?? "")'; there are \(WarningRules.all.map(\.id).joined(separator: ", ")).", .wrongUsage)
            }
            let groups = trace.reading.warnings.groups.filter { rule == nil || $0.rule == rule }
            return AgentAnswer(
                target.facts, list: "findings", total: groups.count, offset: arguments.offset, limit: arguments.limit(),
                remarks: trace.reading.warnings.checks.remarks(only: rule)
            ) { index in Self.value(groups[index], in: trace) }
        case .snapshot(let hang):
            let findings = hang.report.findings.filter { rule == nil || $0.rule == rule }
            return AgentAnswer(
                target.facts, list: "findings", total: findings.count, offset: arguments.offset, limit: arguments.limit(),
                remarks: [
                    .init(
                        key: "not_checked",
                        value: """
                            A look from outside shows only lost-continuation and stuck-io; the other rules need the events of a \
                            recording. why_waiting tells deadlocks and blocked threads.
                            """)
                ]
            ) { index in JSONValue(row: findings[index].write) }
        }
    }

    private static func value(_ group: WarningGroup, in trace: ObservedTrace) -> JSONValue {
        let finding = ReportedFinding(group.first, of: group, in: trace.reading.warnings, trace.store)
        let words = TaskWords(trace.store)
        return [
            "rule": .string(finding.rule), "severity": .string(finding.severity.name), "count": .integer(group.count),
            "message": .string(finding.message), "where": JSONValue(finding.site ?? finding.group.nilIfEmpty),
            "task": JSONValue(finding.task == .none ? nil : finding.task.rawValue),
            "name": finding.task == .none ? .null : .string(words.name(of: finding.task)),
            "evidence": .ends(of: finding.evidence) { evidence in
                evidence.task == .none || evidence.task == finding.task
                    ? .string(evidence.text) : .string("\(evidence.task.firstWords) \(words.name(of: evidence.task)): \(evidence.text)")
            },
        ]
    }
}
