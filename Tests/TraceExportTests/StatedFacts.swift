import TaskEvents
import Testing
import TraceAnalysis
import TraceReport
import TraceStore
import TraceTestKit

@testable import TraceExport

/// What an output says of each task: the facts by their names. A fact of which the output says nothing has no value.
struct StatedFacts {
    typealias Facts = [String: String]

    /// The facts about which the output says something.
    let keys: Set<String>
    let tasks: [UInt64: Facts]

    private static let times = ["created_ns", "queued_ns", "started_ns", "ended_ns", "busy_ns"]
    private static let all = Set(times + ["state", "name", "executor", "where", "error", "parent", "kind", "role", "hops"])

    private init(_ keys: Set<String>, _ tasks: [(UInt64, Facts)]) {
        self.keys = keys
        self.tasks = Dictionary(uniqueKeysWithValues: tasks.map { ($0, $1.filter { keys.contains($0.key) }) })
    }

    /// The truth: what the store proves. It is written down here once more, and shares no code with the rows.
    init(of trace: ExportedTrace) {
        let store = trace.store
        let faults = FaultAnalysis(store, readers: ErrorReaders(store))
        self.init(
            Self.all,
            store.rows.map { row in
                let task = store[row]
                let isProven = task.state != .succeeded || task.showsOutcome
                var facts: Facts = ["state": task.isUncertain ? "unknown" : isProven ? "\(task.state)" : "ended"]
                let times = [task.created, task.queued, task.started, task.ended, task.busy]
                for (key, time) in zip(Self.times, times) { facts[key] = time.map(String.init) }
                facts["name"] = task.label.name
                facts["executor"] = task.executor == .none ? nil : store.description(of: task.executor).name
                facts["where"] = task.label.file.isEmpty ? nil : "\(task.label.file):\(task.label.line)"
                facts["error"] = task.state == .faulted ? store.entries.error(task.error)?.type : nil
                facts["kind"] = task.kind.name
                facts["role"] = faults.role(of: task)?.name
                facts["hops"] = String(task.hopCount)
                // An antecedent that is a join's input, or that the body returned, is no parent.
                let isContinuing = task.kind != .join && Array(task.antecedents) != [task.inner].compactMap(\.self)
                let parent = isContinuing ? task.firstAntecedent : nil
                facts["parent"] = parent.flatMap { store.task($0)?.chain == task.chain && $0 != task.id ? "\($0.rawValue)" : nil }
                return (task.id.rawValue, facts)
            })
    }

    // MARK: Outputs

    /// What each format of `export` says; nil for a format that says nothing of a task's state.
    static func of(_ format: ExportFormat, _ trace: ExportedTrace) throws -> StatedFacts? {
        let text = trace.text(format)
        switch format {
        case .otlp: return try otlp(text)
        case .tables: return try tables(text)
        case .perfetto: return try perfetto(text)
        case .dot:
            return graph(text.matches(of: /\n    t(\d+) \[label="[^\n]*?\\n[^ \n]+ (\w+)/).map { ($0.output.1, $0.output.2) }, in: trace)
        case .mermaid:
            return graph(text.matches(of: /\n    t(\d+)[\[({][^\n]*:::(\w+)/).map { ($0.output.1, $0.output.2) }, in: trace)
        case .jsonl: return nil
        default:
            Issue.record("No test reads the states of tasks in \(format.rawValue). Add a reader here.")
            return nil
        }
    }

    static func report(_ trace: ExportedTrace) throws -> StatedFacts {
        var text = ""
        Report(of: trace.store, program: "sample").writeJSON(to: &text)
        let tasks = try JSONObject(text).list("tasks").map { task in
            var facts = facts(task)
            facts["error"] = task.object("error").text("type")
            return (UInt64(task.number("id") ?? 0), facts)
        }
        return StatedFacts(all.subtracting(["parent"]), tasks)
    }

    private static func tables(_ text: String) throws -> StatedFacts {
        let tasks = try text.split(separator: "\n").map { try JSONObject($0) }.filter { $0.text("table") == "task" }.map { task in
            var facts = facts(task)
            facts["error"] = task.text("error_type")
            return (UInt64(task.number("task") ?? 0), facts)
        }
        return StatedFacts(all.subtracting(["parent"]), tasks)
    }

    private static func perfetto(_ text: String) throws -> StatedFacts {
        let slices = try JSONObject(text).list("traceEvents").filter { $0.text("cat") == "task" && $0.text("ph") == "X" }
        let tasks = slices.filter { $0.object("args").number("stretch") == nil }.map { slice in
            var facts = facts(slice.object("args"))
            facts["where"] = slice.object("args").text("site")
            return (UInt64(slice.object("args").number("task") ?? 0), facts)
        }
        return StatedFacts(["state", "queued_ns", "started_ns", "ended_ns", "busy_ns", "executor", "where", "kind", "role"], tasks)
    }

    /// A graph shows a skipped task as that, and has no other fact in a form of its own.
    private static func graph(_ nodes: [(Substring, Substring)], in trace: ExportedTrace) -> StatedFacts {
        let tasks = nodes.map { id, state -> (UInt64, Facts) in
            let task = trace.store.task(TaskID(rawValue: UInt64(id) ?? 0))
            return (UInt64(id) ?? 0, ["state": state == "skipped" && task?.isSkipped == true ? "\(task!.state)" : String(state)])
        }
        return StatedFacts(["state"], tasks)
    }

    /// The facts of an object whose keys are those of a report.
    private static func facts(_ object: JSONObject) -> Facts {
        var facts: Facts = [:]
        for key in times + ["hops"] { facts[key] = object.number(key).map(String.init) }
        for key in ["state", "name", "executor", "where", "kind", "role"] { facts[key] = object.text(key) }
        return facts
    }

    private static func otlp(_ text: String) throws -> StatedFacts {
        let spans = try JSONObject(text).list("resourceSpans")[0].list("scopeSpans")[0].list("spans")
        let read = spans.map { span in
            Span(
                id: span.text("spanId") ?? "", parent: span.text("parentSpanId"), attributes: attributes(span),
                exception: span.list("events").first { $0.text("name") == "exception" }.map { attributes($0) })
        }
        return StatedFacts(all, try facts(of: read))
    }

    private static func attributes(_ object: JSONObject) -> [String: String] {
        let pairs = object.list("attributes").map { pair in
            let value = pair.object("value")
            return (pair.text("key") ?? "", value.text("stringValue") ?? value.text("intValue") ?? "\(value.fields["boolValue"] ?? "")")
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The spans of the given kind of trace that `ship` sends of the trace, from which no task is missing that is in such a trace.
    static func shipped(_ kind: String, _ trace: ExportedTrace) throws -> StatedFacts {
        let process = trace.shipped()
        let batch = process.collect(isOver: false, slowChain: 0)
        guard let body = ShippedRequest(process, resource: ShippedResource(), at: 0).traces(of: batch)?.body else {
            return StatedFacts([], [])
        }
        let scope = try #require(ParsedProtobuf(body).messages(1).first?.messages(2).first)
        let spans = try scope.messages(2).compactMap { span -> Span? in
            let attributes = try span.attributes(9)
            guard attributes["hopscope.trace"] == kind else { return nil }
            let exception = try span.messages(11).first { $0.text(2) == "exception" }
            return Span(
                id: "\(span.bytes(2) ?? [])", parent: span.bytes(4).map { "\($0)" }, attributes: attributes,
                exception: try exception?.attributes(3))
        }
        // On the path of a fault, the parent is the step before, and the role is the one on this path.
        let keys = kind == "fault" ? all.subtracting(["parent", "role"]) : all
        return StatedFacts(keys, try facts(of: spans))
    }

    private struct Span {
        let id: String
        let parent: String?
        let attributes: [String: String]
        let exception: [String: String]?

        var task: UInt64? { attributes["hopscope.task"].flatMap(UInt64.init) }
    }

    private static func facts(of spans: [Span]) throws -> [(UInt64, Facts)] {
        let tasks = Dictionary(spans.map { ($0.id, $0.task) }, uniquingKeysWith: { one, _ in one })
        var facts: [UInt64: Facts] = [:]
        for span in spans {
            var said: Facts = [:]
            for key in times + ["state", "executor", "kind", "role", "hops"] { said[key] = span.attributes["hopscope.\(key)"] }
            said["name"] = span.attributes["hopscope.task.name"]
            said["where"] = span.attributes["code.file.path"].map { "\($0):\(span.attributes["code.line.number"] ?? "")" }
            said["error"] = span.exception?["exception.type"]
            if let parent = span.parent { said["parent"] = tasks[parent].flatMap(\.self).map { "\($0)" } ?? "not in the request" }
            facts[try #require(span.task)] = said
        }
        return facts.map { ($0, $1) }
    }
}
