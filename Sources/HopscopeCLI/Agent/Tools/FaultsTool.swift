import TaskEvents
import TraceAnalysis
import TraceReport

/// Where errors came from, which tasks they reached, and which of them nothing read.
struct FaultsTool: AgentTool {
    let targets: AgentTargets

    let name = "faults"
    let title = "Errors and their paths"
    let use = """
        Use it to find an unread error, or to learn where an error came from and what became of it. Answers with the errors of a \
        recording, unread ones first: type and message, the verdict (recovered, read, swallowed, unobserved, pending, unknown), and the \
        path, task by task, with the place of each throw. With 'origin' it answers with one whole path.
        """
    var parameters: [ToolParameter] {
        AgentTargets.parameters
            + [ToolParameter(name: "origin", kind: .number(1...Int.max), meaning: "Only the error that began in this task.")]
            + PageParameters.all
    }

    func answer(_ arguments: ToolArguments, _ call: ToolCall) throws -> AgentAnswer {
        let trace = try targets.target(of: arguments).trace(for: "errors")
        let facts = AgentTarget.trace(trace).facts
        let faults = Array(ReportRows(trace.store).faults)
        if let origin = arguments.number("origin") {
            guard let fault = faults.first(where: { $0.origin.rawValue == UInt64(origin) }) else {
                throw UserError("No error of the trace began in task \(origin); 'faults' without 'origin' lists all.", .wrongUsage)
            }
            let about = [JSONValue.Field(key: "error", value: JSONValue(row: fault.error.write))]
            return AgentAnswer(
                facts + about + [.init(key: "verdict", value: .string(fault.verdict.name))], list: "path", total: fault.path.count,
                offset: arguments.offset, limit: arguments.limit()
            ) { index in Self.value(fault.path[index], in: trace) }
        }
        let ordered = faults.enumerated().sorted {
            ($0.element.verdict.rank, $0.offset) < ($1.element.verdict.rank, $1.offset)
        }.map(\.element)
        let unread = faults.count { $0.verdict.isUnread }
        return AgentAnswer(
            facts + [.init(key: "unread", value: .integer(unread))], list: "faults", total: ordered.count, offset: arguments.offset,
            limit: arguments.limit(), remarks: trace.reading.warnings.checks.remarks(only: "unobserved-fault")
        ) { index in
            let fault = ordered[index]
            return [
                "origin": JSONValue(fault.origin.rawValue), "error": JSONValue(row: fault.error.write),
                "verdict": .string(fault.verdict.name),
                "path": .ends(of: fault.path) { Self.value($0, in: trace) },
            ]
        }
    }

    private static func value(_ step: ReportedFault.Step, in trace: ObservedTrace) -> JSONValue {
        [
            "task": JSONValue(step.task.rawValue), "name": .string(TaskWords(trace.store).name(of: step.task)),
            "role": JSONValue(step.role?.name), "where": JSONValue(step.site),
        ]
    }
}
