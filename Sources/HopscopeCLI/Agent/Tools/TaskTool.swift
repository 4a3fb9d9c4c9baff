import RemoteTasks
import TaskEvents
import TextOutput
import TraceAnalysis
import TraceReport
import TraceStore

/// All that is known of one task.
struct TaskTool: AgentTool {
    let targets: AgentTargets

    let name = "task"
    let title = "One task"
    let use = """
        Use it with a task's number from another answer. Answers with its state and places, what it waits for and the chain of waits from \
        there, the holder of its continuation and the socket, where its time went against tasks made at the same place, its error, the \
        findings about it and its last events; of a process that was started without Hopscope, and of a core file, the calls of its \
        stack that have a place.
        """
    var parameters: [ToolParameter] {
        AgentTargets.parameters
            + [ToolParameter(name: "task", kind: .number(1...Int.max), meaning: "The task's number.", isRequired: true)]
    }

    private static let mostEvents = 6

    func answer(_ arguments: ToolArguments, _ call: ToolCall) throws -> AgentAnswer {
        let number = arguments.number("task") ?? 0
        let id = TaskID(rawValue: UInt64(number))
        let target = try targets.target(of: arguments, .outside)
        switch target {
        case .trace(let trace):
            guard let task = trace.store.task(id) else { throw UserError("The trace has no task \(number).", .wrongUsage) }
            return AgentAnswer(target.facts + facts(of: task, in: trace), remarks: task.state.hasEnded ? [] : trace.remarks)
        case .snapshot(let hang):
            let report = hang.report
            guard let task = report.snapshot.tasks.first(where: { $0.id == id.rawValue }) else {
                throw UserError("The look shows no task \(number); it may have ended.", .wrongUsage)
            }
            return AgentAnswer(target.facts + [.init(key: "task", value: TaskFacts.whole(report.row(of: task)))])
        }
    }

    private func facts(of task: TaskView, in trace: ObservedTrace) -> [JSONValue.Field] {
        let store = trace.store
        let rows = ReportRows(store)
        let wait = ReportedWaitCause(of: task, rows, outside: trace.outsideWaits).map { JSONValue(row: $0.write) }
        let steps = trace.reading.steps(ProgressLine("Reading", isQuiet: true, trace.reading.time))
        let explanation = ReportedExplanation(TimeAnalysis(store, steps).explanation(of: task), in: store)
        var written = ""
        explanation.writeJSON(to: &written)
        let findings = ReportedFinding.all(of: trace.reading.warnings, in: store).lazy.filter { $0.task == task.id }.prefix(4)
        return [
            .init(key: "task", value: TaskFacts.whole(rows.task(task))), .init(key: "why", value: wait ?? .null),
            .init(key: "time", value: JSONValue(encoded: written)),
            .init(
                key: "findings",
                value: .array(findings.map { ["rule": .string($0.rule), "message": .string($0.message), "where": JSONValue($0.site)] })),
            .init(key: "last_events", value: .array(EventRows.last(Self.mostEvents, of: task.id, in: trace))),
        ]
    }
}
