import RemoteTasks
import TaskEvents
import TraceAnalysis
import TraceReport
import TraceStore

/// The tasks that match a query.
struct TasksTool: AgentTool {
    let targets: AgentTargets

    let name = "tasks"
    let title = "Tasks"
    let use = """
        Use it to find tasks, for example those that wait for one actor, or those of one name. Answers with their numbers, names, states, \
        places and waits. The query has words such as state:suspended, state:live, waits:continuation, on:main, name~save, \
        site~Main.swift, error~timeout, warn:any, total>10ms, kind:join; a task must match all of them; '-' negates.
        """
    var parameters: [ToolParameter] {
        AgentTargets.parameters
            + [ToolParameter(name: "query", kind: .text, meaning: "Which tasks; without it, all.")] + PageParameters.all
    }

    func answer(_ arguments: ToolArguments, _ call: ToolCall) throws -> AgentAnswer {
        let query = try Self.query(arguments.text("query"))
        let target = try targets.target(of: arguments)
        switch target {
        case .trace(let trace):
            let found = Self.matching(query, in: trace.store, WarningIndex(trace.reading.warnings))
            let rows = ReportRows(trace.store)
            return AgentAnswer(
                target.facts, list: "tasks", total: found.count, offset: arguments.offset, limit: arguments.limit()
            ) { index in trace.store.task(found[index]).map { TaskFacts.brief(rows.task($0)) } ?? .null }
        case .snapshot(let hang):
            let report = hang.report
            let store = report.store()
            store.nameCode()
            let tasks = Dictionary(report.snapshot.tasks.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            let found = Self.matching(query, in: store, WarningIndex()).compactMap { tasks[$0.rawValue] }
            return AgentAnswer(
                target.facts, list: "tasks", total: found.count, offset: arguments.offset, limit: arguments.limit()
            ) { index in TaskFacts.brief(report.row(of: found[index])) }
        }
    }

    static func query(_ text: String?) throws(UserError) -> TaskQuery {
        do {
            return try TaskQuery(text ?? "")
        } catch {
            throw UserError("The query cannot be read: \(error.description)", .wrongUsage)
        }
    }

    /// Without the tasks that a runtime made for itself, unless the query names a kind.
    private static func matching(_ query: TaskQuery, in store: TraceStore, _ warnings: WarningIndex) -> [TaskID] {
        TaskQueryMatcher(query, in: store, warnings: warnings).tasks().filter { id in
            query.asksForKind || store.task(id)?.kind != .internal
        }
    }
}
