import TextOutput
import TraceReport
import TraceStore

/// A trace for OpenTelemetry's collectors and stores: one `ExportTraceServiceRequest` in the protocol's JSON encoding.
///
/// A chain becomes a trace, and a task becomes a span below the task that it continues. A join has links to its inputs, because they belong
/// to different traces. A block of Dispatch is a span of its own. Hops and errors become events of their task's span. The request is one
/// line, so that it can be posted or stored in a file of requests.
struct OTLPExport: Export {
    static let name = "otlp"
    static let summary = "OpenTelemetry's traces as JSON, for collectors"

    let trace: Exporter

    func write(to output: inout some TextOutputStream) {
        let rows = ReportRows(trace.store)
        let ids = OTLPIdentifiers(program: trace.program, startedAt: trace.start)
        var resource = OTLPAttributes()
        resource.add("service.name", trace.program.isEmpty ? "unnamed program" : trace.program)
        resource.add("telemetry.sdk.name", "hopscope")
        resource.add("telemetry.sdk.language", "swift")
        resource.add("hopscope.lost", trace.store.lostCount)
        var line = JSONLine()
        line.begin("{")
        line.begin("[", "resourceSpans")
        line.begin("{")
        line.object("resource") { $0.attributes(1, resource) }
        line.begin("[", "scopeSpans")
        line.begin("{")
        line.object("scope") { $0.field("name", "hopscope") }
        line.begin("[", "spans")
        for row in [trace.store.rows, trace.store.blockRows].joined() {
            line.object { $0.write(rows.span(trace.store[row]), ids, startedAt: trace.start) }
            line.flush(to: &output)
        }
        for bracket in ["]", "}", "]", "}", "]", "}"] as [StaticString] { line.end(bracket) }
        line.flush(to: &output)
        output.write("\n")
    }
}
