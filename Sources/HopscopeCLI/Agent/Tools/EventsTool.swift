import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTransport

/// What happened, event by event.
struct EventsTool: AgentTool {
    let targets: AgentTargets

    let name = "events"
    let title = "Events"
    let use = """
        Use it to learn what happened just before something. Answers with events in words, in order: the last ones, or those up to the \
        event 'until', for the way back. The query has the words of 'tasks', and event:faulted,hopped names kinds of events.
        """
    var parameters: [ToolParameter] {
        AgentTargets.parameters + [
            ToolParameter(name: "query", kind: .text, meaning: "Which events, such as event:faulted id:12; without it, all."),
            ToolParameter(name: "until", kind: .number(1...Int.max), meaning: "The number of the last event; without it, the end."),
            PageParameters.all[0],
        ]
    }

    func answer(_ arguments: ToolArguments, _ call: ToolCall) throws -> AgentAnswer {
        let query: EventQuery
        do {
            query = try EventQuery(arguments.text("query") ?? "")
        } catch {
            throw UserError("The query cannot be read: \(error.description)", .wrongUsage)
        }
        let trace = try targets.target(of: arguments).trace(for: "events")
        let end = min(arguments.number("until") ?? .max, trace.reading.history.eventCount)
        let (count, last) = Self.matching(query, until: end, limit: arguments.limit(), in: trace)
        // An answer that has no room for all has the latest.
        var rows: [JSONValue] = []
        var size = 0
        for number in last.reversed() {
            guard let event = trace.reading.history.event(number: number) else { continue }
            let row = EventRows.value(event, in: trace)
            size += row.encoded.utf8.count
            guard size <= Self.room || rows.isEmpty else { break }
            rows.insert(row, at: 0)
        }
        let earlier = count - rows.count
        let before = rows.first?["event"]
        let remarks: [JSONValue.Field] =
            earlier == 0
            ? []
            : [.init(key: "earlier", value: .integer(earlier))]
                + (before.map { [.init(key: "more", value: .string("Call again with until \($0.encoded), the first event shown."))] } ?? [])
        return AgentAnswer(AgentTarget.trace(trace).facts, list: "events", rows: rows, remarks: remarks)
    }

    /// The bytes of an answer that its events may take.
    private static let room = 3000

    /// The number of matching events up to one, and the numbers of the last of them.
    private static func matching(
        _ query: EventQuery, until end: Int, limit: Int, in trace: ObservedTrace
    ) -> (count: Int, last: [Int]) {
        let tasks: Set<TaskID>? =
            query.tasks.isEmpty
            ? nil : Set(TaskQueryMatcher(query.tasks, in: trace.store, warnings: WarningIndex(trace.reading.warnings)).tasks())
        var count = 0
        var last: [Int] = []
        trace.reading.history.forEachStretch(in: 1..<(end + 1)) { stretch in
            for (index, event) in stretch.events.enumerated() where stretch.first + index <= end {
                guard let kind = event.kind, query.kinds.contains(EventKinds(kind)),
                    tasks.map({ $0.contains(event.task) || $0.contains(event.otherTask) }) ?? true
                else { continue }
                count += 1
                last.append(stretch.first + index)
                if last.count > 2 * limit { last.removeFirst(last.count - limit) }
            }
        }
        return (count, Array(last.suffix(limit)))
    }
}
