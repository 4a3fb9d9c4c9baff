import Foundation
import TaskEvents
import Testing
import TraceExport
import TraceReport
import TraceStore
import TraceTestKit

@Suite struct ExportTests {
    @Test("Two exports of one trace are the same bytes", arguments: ExportFormat.ofEvents)
    func isStable(format: ExportFormat) {
        let (one, other) = (ExportedTrace.random(.lossy, seed: 3), ExportedTrace.random(.lossy, seed: 3))
        let text = one.text(format)
        #expect(text == one.text(format) && text == other.text(format))
        #expect(text.utf8.count > 10_000)
    }

    @Test(
        "No name escapes its place in an export: no control character, no end of a script, and it parses",
        arguments: ExportFormat.ofEvents)
    func hostile(format: ExportFormat) throws {
        let text = ExportedTrace(HostileTrace.make()).text(format, program: HostileTrace.names.joined())
        let acting = text.unicodeScalars.filter {
            $0 != "\n" && ($0.properties.generalCategory == .control || ["\u{202E}", "\u{2028}", "\u{FEFF}"].contains($0))
        }
        #expect(acting.isEmpty)
        #expect(!text.contains("</script>") || format == .dot)
        for line in text.split(separator: "\n") where format == .jsonl || format == .tables {
            #expect(try !JSONObject(line).fields.isEmpty)
        }
        if format == .perfetto || format == .otlp { #expect(try !JSONObject(text).fields.isEmpty) }
    }

    @Test("A JSON reader gets a name back unchanged", arguments: HostileTrace.names.filter { !$0.isEmpty })
    func names(name: String) throws {
        var trace = TraceBuilder()
        trace.complete(trace.create(.source, name))
        let exported = ExportedTrace(trace)
        let line = try #require(exported.text(.jsonl).split(separator: "\n").first)
        #expect(try JSONObject(line).text("name") == name)
        let span = try JSONObject(exported.text(.otlp)).list("resourceSpans")[0].list("scopeSpans")[0].list("spans")[0]
        let named = try #require(span.list("attributes").first { $0.text("key") == "hopscope.task.name" })
        #expect(named.object("value").text("stringValue") == name)
    }

    @Test("An empty trace is valid in every format", arguments: ExportFormat.ofEvents)
    func empty(format: ExportFormat) throws {
        let text = ExportedTrace(TraceBuilder()).text(format)
        switch format {
        case .perfetto: #expect(try JSONObject(text).list("traceEvents").count == 1)
        case .otlp: #expect(try JSONObject(text).list("resourceSpans").count == 1)
        case .dot: #expect(text.hasPrefix("digraph \"sample\" {\n") && text.hasSuffix("}\n"))
        case .mermaid: #expect(text.hasPrefix("flowchart LR\n"))
        case .jsonl, .tables: #expect(text.isEmpty)
        default: Issue.record("Nothing is said of an empty trace as \(format.rawValue).")
        }
    }

    // MARK: Tables

    @Test("A row of a table has all columns, and the tables have the report's facts", arguments: [1, 2, 3] as [UInt64])
    func tables(seed: UInt64) throws {
        let trace = ExportedTrace.random(.complete, seed: seed)
        let rows = try trace.text(.tables).split(separator: "\n").map { try JSONObject($0) }
        var report = ""
        Report(of: trace.store, program: "sample").writeJSON(to: &report)
        let whole = try JSONObject(report)
        func table(_ name: String) -> [JSONObject] { rows.filter { $0.text("table") == name } }
        for name in ["task", "hop", "fault", "finding"] { #expect(Set(table(name).map { Set($0.fields.keys) }).count <= 1) }
        let ended = whole.list("tasks").filter { $0.number("ended_ns") != nil }
        #expect(table("task").map { $0.number("task") } == ended.map { $0.number("id") })
        for key in ["created_ns", "queued_ns", "started_ns", "ended_ns", "busy_ns", "hops", "chain"] {
            #expect(table("task").map { $0.number(key) } == ended.map { $0.number(key) }, "\(key)")
        }
        for key in ["state", "role", "executor", "name", "kind", "where"] {
            #expect(table("task").map { $0.text(key) } == ended.map { $0.text(key) }, "\(key)")
        }
        #expect(table("hop").map { $0.number("wait_ns") } == whole.list("hops").map { $0.number("wait_ns") })
        #expect(table("fault").map { $0.text("verdict") } == whole.list("faults").map { $0.text("verdict") })
        #expect(table("finding").map { $0.text("message") } == whole.list("warnings").map { $0.text("message") })
    }

    // MARK: JSON lines

    @Test("An event is one line with its description")
    func lines() {
        var trace = TraceBuilder(at: 5)
        let (main, net) = (trace.executor("main", .main), trace.executor("net", .queue))
        trace.takeLane(thread: 4711)
        let save = trace.root("save", on: net, line: 12)
        trace.enqueue(save)
        trace.start(save)
        trace.fault(save, type: "Boom", message: "a \"b\"")
        trace.endJob(save)
        let show = trace.continuation("show", of: save, on: main)
        trace.hop(show, to: main)
        trace.readError(of: save, by: show)
        trace.cancel(show, .token)
        trace.lose(3)
        trace.mark("here")
        #expect(
            ExportedTrace(trace).text(.jsonl) == #"""
                {"number":1,"time_ns":5,"lane":0,"event":"thread","thread":4711}
                {"number":2,"time_ns":5,"lane":0,"event":"created","task":1,"detail":"root","executor":"net","name":"save","site":"App/main.swift:12"}
                {"number":3,"time_ns":5,"lane":0,"event":"enqueued","task":1,"executor":"net"}
                {"number":4,"time_ns":5,"lane":0,"event":"started","task":1,"detail":"dequeued","executor":"net"}
                {"number":5,"time_ns":5,"lane":0,"event":"faulted","task":1,"detail":"thrown","error":{"type":"Boom","message":"a \"b\""}}
                {"number":6,"time_ns":5,"lane":0,"event":"jobEnded","task":1,"executor":"net"}
                {"number":7,"time_ns":5,"lane":0,"event":"created","task":2,"detail":"continuation","executor":"main","antecedent":1,\#
                "name":"show","site":"App/main.swift:1"}
                {"number":8,"time_ns":5,"lane":0,"event":"hopped","task":2,"detail":"dispatched","from":null,"to":"main"}
                {"number":9,"time_ns":5,"lane":0,"event":"errorRead","task":1,"by":2}
                {"number":10,"time_ns":5,"lane":0,"event":"cancelled","task":2,"detail":"token"}
                {"number":11,"time_ns":5,"lane":0,"event":"lost","count":3}
                {"number":12,"time_ns":5,"lane":0,"event":"mark","text":"here"}

                """#)
    }

    @Test("Executors of one name have numbers in every line; a closure that ends has the name that it began with")
    func numberedExecutors() {
        var trace = TraceBuilder()
        for _ in 0..<2 {
            let disk = trace.executor("disk", .pool)
            trace.startClosure("read()", on: disk, line: 7)
            trace.endClosure("read()", on: disk, line: 7)
        }
        let lines = ExportedTrace(trace).text(.jsonl).split(separator: "\n")
        #expect(lines.map { $0.contains(#""executor":"disk","#) } == [true, true, false, false])
        #expect(lines.map { $0.contains(#""executor":"disk#2","#) } == [false, false, true, true])
        #expect(lines.allSatisfy { $0.contains(#""name":"read()","site":"App/main.swift:7""#) })
    }
}
