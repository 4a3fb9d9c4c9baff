import TaskEvents
import TextOutput
import TraceAnalysis
import TraceReport
import TraceStore

/// A trace for OpenTelemetry's collectors and stores: one `ExportTraceServiceRequest` in the protocol's JSON encoding.
///
/// A chain becomes a trace, and a task becomes a span below the task that it continues. A join has links to its inputs, because they belong
/// to different traces. Hops and errors become events of their task's span. The request is one line, so that it can be posted or stored in
/// a file of requests.
struct OTLPExport {
    private let store: TraceStore
    private let program: String
    private let start: UInt64
    private let ids: OTLPIdentifiers
    private let faults: FaultAnalysis
    private let hops: HopAnalysis

    init(_ store: TraceStore, program: String, startedAt start: UInt64) {
        self.store = store
        self.program = program
        self.start = start
        ids = OTLPIdentifiers(program: program, startedAt: start)
        faults = FaultAnalysis(store, readers: ErrorReaders(store))
        hops = HopAnalysis(store)
    }

    func write(to output: inout some TextOutputStream) {
        var line = JSONLine()
        line.begin("{")
        line.begin("[", "resourceSpans")
        line.begin("{")
        line.object("resource") { line in
            line.array("attributes") { line in
                attribute("service.name", program.isEmpty ? "unnamed program" : program, to: &line)
                attribute("telemetry.sdk.name", "hopscope", to: &line)
                attribute("telemetry.sdk.language", "swift", to: &line)
                attribute("hopscope.lost", store.lostCount, to: &line)
            }
        }
        line.begin("[", "scopeSpans")
        line.begin("{")
        line.object("scope") { $0.field("name", "hopscope") }
        line.begin("[", "spans")
        for row in store.rows {
            write(store[row], to: &line)
            line.flush(to: &output)
        }
        for bracket in ["]", "}", "]", "}", "]", "}"] as [StaticString] { line.end(bracket) }
        line.flush(to: &output)
        output.write("\n")
    }

    // MARK: Spans

    private func write(_ task: TaskView, to line: inout JSONLine) {
        let span = OTLPSpan(task, now: store.now)
        line.object { line in
            line.field("traceId", ids.trace(of: task.chain))
            line.field("spanId", ids.span(of: task.id))
            if let parent = parent(of: task) { line.field("parentSpanId", ids.span(of: parent)) }
            line.field("name", name(of: task))
            // `SPAN_KIND_INTERNAL`: the span belongs to neither a server nor a client.
            line.field("kind", 1)
            line.field("startTimeUnixNano", time(span.start))
            line.field("endTimeUnixNano", time(span.end))
            line.array("attributes") { writeAttributes(of: task, to: &$0) }
            writeEvents(of: task, at: span.end, to: &line)
            writeLinks(of: task, to: &line)
            line.object("status") { line in
                guard task.state == .faulted else { return }
                line.field("code", 2)
                line.field("message", ErrorText.text(store.entries.error(task.error)))
            }
        }
    }

    /// The task that this task continues, if it is in the same chain and the store still holds it.
    private func parent(of task: TaskView) -> TaskID? {
        guard let first = task.continued, first != task.id else { return nil }
        return store.task(first)?.chain == task.chain ? first : nil
    }

    private func name(of task: TaskView) -> String {
        let name = task.label.name
        return name.isEmpty ? "task \(task.id.rawValue)" : name
    }

    private func time(_ nanoseconds: UInt64) -> String {
        String(start &+ nanoseconds)
    }

    private func writeAttributes(of task: TaskView, to line: inout JSONLine) {
        let label = task.label
        attribute("hopscope.task", task.id.rawValue, to: &line)
        attribute("hopscope.chain", task.chain.rawValue, to: &line)
        attribute("hopscope.kind", task.kind.name, to: &line)
        attribute("hopscope.state", task.isUncertain ? StateMark.unknown.word : task.state.name, to: &line)
        if task.executor != .none { attribute("hopscope.executor", store.description(of: task.executor).name, to: &line) }
        if !label.file.isEmpty {
            attribute("code.filepath", label.file, to: &line)
            attribute("code.lineno", UInt64(label.line), to: &line)
        }
        for (key, time) in [
            ("hopscope.created_ns", task.created), ("hopscope.queued_ns", task.queued), ("hopscope.started_ns", task.started),
            ("hopscope.ended_ns", task.ended),
        ] as [(StaticString, UInt64?)] {
            if let time { attribute(key, time, to: &line) }
        }
        if task.queued != nil { attribute("hopscope.queue_wait_ns", task.queuedTime, to: &line) }
        attribute("hopscope.busy_ns", task.busy, to: &line)
        if task.suspendedTime > 0 { attribute("hopscope.suspended_ns", task.suspendedTime, to: &line) }
        attribute("hopscope.hops", UInt64(task.hopCount), to: &line)
        if let role = faults.role(of: task) { attribute("hopscope.role", role.name, to: &line) }
        if task.isSkipped { attribute("hopscope.skipped", true, to: &line) }
        if task.isSynthesised { attribute("hopscope.synthesised", true, to: &line) }
    }

    // MARK: Events and links

    private func writeEvents(of task: TaskView, at end: UInt64, to line: inout JSONLine) {
        line.array("events") { line in
            for hop in task.hops {
                line.object { line in
                    line.field("timeUnixNano", time(hop.at))
                    line.field("name", "hop")
                    line.array("attributes") { line in
                        if hop.from != .none { attribute("hopscope.from", store.description(of: hop.from).name, to: &line) }
                        attribute("hopscope.to", store.description(of: hop.to).name, to: &line)
                        if let wait = hop.wait { attribute("hopscope.wait_ns", wait, to: &line) }
                        attribute("hopscope.class", hops.hopClass(of: hop).name, to: &line)
                    }
                }
            }
            guard task.state == .faulted else { return }
            let error = ReportedError(task.error, in: store)
            line.object { line in
                line.field("timeUnixNano", time(task.ended ?? end))
                line.field("name", "exception")
                line.array("attributes") { line in
                    attribute("exception.type", error.type, to: &line)
                    attribute("exception.message", error.message, to: &line)
                }
            }
        }
    }

    /// Writes links to a join's inputs, to the task that a body returned, and to the tasks that a body awaited.
    private func writeLinks(of task: TaskView, to line: inout JSONLine) {
        line.array("links") { line in
            for (antecedent, isInner) in task.links() where task.kind == .join || isInner {
                writeLink(to: antecedent, isInner ? "inner" : "input", &line)
            }
            for awaited in task.awaited { writeLink(to: awaited, "awaited", &line) }
        }
    }

    private func writeLink(to id: TaskID, _ role: String, _ line: inout JSONLine) {
        guard let other = store.task(id) else { return }
        line.object { line in
            line.field("traceId", ids.trace(of: other.chain))
            line.field("spanId", ids.span(of: other.id))
            line.array("attributes") { attribute("hopscope.link", role, to: &$0) }
        }
    }

    // MARK: Attributes

    private func attribute(_ key: StaticString, _ value: String, to line: inout JSONLine) {
        attribute(key, to: &line) { $0.field("stringValue", value) }
    }

    /// The JSON encoding represents integers as strings.
    private func attribute(_ key: StaticString, _ value: UInt64, to line: inout JSONLine) {
        attribute(key, to: &line) { $0.field("intValue", String(value)) }
    }

    private func attribute(_ key: StaticString, _ value: Bool, to line: inout JSONLine) {
        attribute(key, to: &line) { $0.field("boolValue", value) }
    }

    private func attribute(_ key: StaticString, to line: inout JSONLine, _ value: (inout JSONLine) -> Void) {
        line.object { line in
            line.field("key", key.description)
            line.object("value", value)
        }
    }
}
