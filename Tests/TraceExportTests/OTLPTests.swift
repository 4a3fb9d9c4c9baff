import TaskEvents
import Testing
import TraceExport
import TraceReport
import TraceStore
import TraceTestKit

@Suite struct OTLPTests {
    private func spans(_ trace: ExportedTrace) throws -> [JSONObject] {
        let resource = try #require(JSONObject(trace.text(.otlp)).list("resourceSpans").first)
        return try #require(resource.list("scopeSpans").first).list("spans")
    }

    /// An attribute's value as text, whatever its type.
    private func attribute(_ key: String, of object: JSONObject) -> String? {
        let value = object.list("attributes").first { $0.text("key") == key }?.object("value")
        return value?.text("stringValue") ?? value?.text("intValue") ?? (value?.fields["boolValue"] as? Bool).map { "\($0)" }
    }

    @Test("The request of a small trace begins with the resource and is one line")
    func head() throws {
        var trace = TraceBuilder(at: 7)
        let queue = trace.executor("net", .queue)
        trace.run(trace.root("save", on: queue, line: 12), after: 1, milliseconds: 2)
        let start = ExportedTrace.start
        let ids = try #require(spans(ExportedTrace(trace)).first)
        let (traceID, spanID) = (try #require(ids.text("traceId")), try #require(ids.text("spanId")))
        #expect(
            ExportedTrace(trace).text(.otlp) == #"""
                {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"sample"}},\#
                {"key":"telemetry.sdk.name","value":{"stringValue":"hopscope"}},\#
                {"key":"telemetry.sdk.language","value":{"stringValue":"swift"}},{"key":"hopscope.lost","value":{"intValue":"0"}}]},\#
                "scopeSpans":[{"scope":{"name":"hopscope"},"spans":[{"traceId":"\#(traceID)","spanId":"\#(spanID)","name":"App/main.swift:12","kind":1,\#
                "startTimeUnixNano":"\#(start + 1_000_007)","endTimeUnixNano":"\#(start + 3_000_007)","attributes":[\#
                {"key":"hopscope.task","value":{"intValue":"1"}},{"key":"hopscope.task.name","value":{"stringValue":"save"}},\#
                {"key":"hopscope.chain","value":{"intValue":"1"}},\#
                {"key":"hopscope.kind","value":{"stringValue":"root"}},{"key":"hopscope.state","value":{"stringValue":"succeeded"}},\#
                {"key":"hopscope.executor","value":{"stringValue":"net"}},{"key":"code.file.path","value":{"stringValue":"App/main.swift"}},\#
                {"key":"code.line.number","value":{"intValue":"12"}},{"key":"hopscope.created_ns","value":{"intValue":"7"}},\#
                {"key":"hopscope.queued_ns","value":{"intValue":"7"}},{"key":"hopscope.started_ns","value":{"intValue":"1000007"}},\#
                {"key":"hopscope.ended_ns","value":{"intValue":"3000007"}},{"key":"hopscope.queue_wait_ns","value":{"intValue":"1000000"}},\#
                {"key":"hopscope.busy_ns","value":{"intValue":"2000000"}},{"key":"hopscope.hops","value":{"intValue":"0"}}],\#
                "events":[],"links":[],"status":{}}]}]}]}

                """#)
    }

    @Test("Each task is a span with the report's times", arguments: ExportedTrace.Course.allCases, [1, 2, 3] as [UInt64])
    func times(course: ExportedTrace.Course, seed: UInt64) throws {
        let trace = ExportedTrace.random(course, seed: seed)
        var report = ""
        Report(of: trace.store, program: "p").writeJSON(to: &report)
        let tasks = try JSONObject(report).list("tasks")
        let spans = try spans(trace)
        #expect(spans.count == tasks.count)
        for (task, span) in zip(tasks, spans) {
            #expect(attribute("hopscope.task", of: span) == task.number("id").map(String.init))
            for key in ["created_ns", "queued_ns", "started_ns", "ended_ns", "busy_ns", "hops"] {
                #expect(attribute("hopscope.\(key)", of: span) == task.number(key).map(String.init))
            }
            for key in ["kind", "state", "role", "executor"] { #expect(attribute("hopscope.\(key)", of: span) == task.text(key)) }
            let start = try #require(span.text("startTimeUnixNano").flatMap(UInt64.init)) - ExportedTrace.start
            let end = try #require(span.text("endTimeUnixNano").flatMap(UInt64.init)) - ExportedTrace.start
            #expect(start <= end)
            if let started = task.number("started_ns"), let ended = task.number("ended_ns"), started <= ended {
                #expect(start == UInt64(started) && end == UInt64(ended))
            }
            #expect(span.list("events").count { $0.text("name") == "hop" } == task.number("hops"))
            #expect((span.object("status").number("code") == 2) == (task.text("state") == "faulted"))
        }
    }

    @Test("Ids are unique, parents are in the same trace, links lead to the inputs", arguments: [4, 5] as [UInt64])
    func identity(seed: UInt64) throws {
        let trace = ExportedTrace.random(.complete, seed: seed)
        let spans = try spans(trace)
        let byID = Dictionary(uniqueKeysWithValues: spans.map { ($0.text("spanId") ?? "", $0) })
        #expect(spans.allSatisfy { $0.text("traceId")?.count == 32 && $0.text("spanId")?.count == 16 })
        let chains = Set(spans.map { attribute("hopscope.chain", of: $0) })
        #expect(Set(spans.map { $0.text("traceId") }).count == chains.count)
        for span in spans {
            if let parent = span.text("parentSpanId") { #expect(byID[parent]?.text("traceId") == span.text("traceId")) }
            #expect((span.text("parentSpanId") == nil) == (attribute("hopscope.kind", of: span) != "continuation"))
            let id = try #require(attribute("hopscope.task", of: span).flatMap(UInt64.init))
            let task = try #require(trace.store.task(TaskID(rawValue: id)))
            let linked = span.list("links").compactMap { byID[$0.text("spanId") ?? ""] }.compactMap { attribute("hopscope.task", of: $0) }
            let expected = task.antecedents.filter { task.kind == .join || $0 == task.inner }
            #expect(linked == expected.map { "\($0.rawValue)" })
        }
    }

    @Test("An error is an exception event, a skipped task has no duration, and a task that has not ended extends to the trace's end")
    func errors() throws {
        let trace = ExportedTrace(SampleTrace.make())
        let spans = try spans(trace)
        let exception = try #require(spans[0].list("events").first { $0.text("name") == "exception" })
        #expect(
            attribute("exception.type", of: exception) == "KinesisError" && attribute("exception.message", of: exception) == "throttled")
        #expect(spans[0].object("status").text("message") == "KinesisError.throttled")
        #expect(spans[1].text("startTimeUnixNano") == spans[1].text("endTimeUnixNano"))
        #expect(attribute("hopscope.skipped", of: spans[1]) == "true")
        #expect(spans.last?.text("endTimeUnixNano") == "\(ExportedTrace.start + trace.store.now)")
        #expect(attribute("hopscope.class", of: try #require(spans[2].list("events").first)) == "bounce")
    }

    @Test("Ids differ between runs and are stable within one")
    func runs() throws {
        let trace = ExportedTrace(SampleTrace.make())
        func export(_ start: UInt64) -> String {
            var text = ""
            Exporter(of: trace.store, program: "sample", startedAt: start, events: []).write(.otlp, to: &text)
            return text
        }
        #expect(export(1) == export(1))
        let ids = try [1, 2].map {
            try JSONObject(export($0)).list("resourceSpans")[0].list("scopeSpans")[0].list("spans")[0].text("traceId")
        }
        #expect(ids[0] != ids[1])
    }
}
