import Foundation
import TaskEvents
import Testing
import TraceExport
import TraceStore
import TraceTestKit

@Suite struct GraphTests {
    private static func small() -> ExportedTrace {
        var trace = TraceBuilder()
        let (main, net) = (trace.executor("main", .main), trace.executor("net", .queue))
        let save = trace.root("save", on: net)
        trace.enqueue(save)
        trace.start(save)
        trace.advance(milliseconds: 2)
        trace.fault(save, type: "Boom", message: "throttled")
        let submit = trace.continuation("submit", of: save, on: net)
        trace.skip(submit)
        let show = trace.continuation("show", of: submit, on: main)
        trace.hop(show, from: net)
        trace.enqueue(show)
        trace.advance(milliseconds: 1)
        trace.start(show)
        let inner = trace.source("inner")
        trace.wait(show, forInner: inner)
        _ = trace.join(of: [submit, show])
        return ExportedTrace(trace)
    }

    @Test("No text is longer than Graphviz reads", arguments: [ExportFormat.dot, .mermaid])
    func longNames(format: ExportFormat) {
        var trace = TraceBuilder()
        let name = String(repeating: "&\u{202E}", count: 20_000)
        let queue = trace.executor(name, .queue)
        let root = trace.root(name, on: queue)
        trace.fault(root, type: name, message: name)
        let next = trace.continuation(name, of: root, on: queue)
        trace.hop(next, from: queue)
        trace.enqueue(next)
        trace.start(next)
        let text = ExportedTrace(trace).text(format, program: name)
        #expect(text.contains("…"))
        for line in text.split(separator: "\n") { #expect(line.utf8.count < 16_384, "\(line.prefix(80))") }
    }

    @Test("An asynchronous main that ended its program does not run in the graph", arguments: [ExportFormat.dot, .mermaid])
    func finishedMain(format: ExportFormat) {
        var trace = TraceBuilder()
        let (main, task) = (trace.executor("main", .main), trace.reserveTask())
        let label = trace.label(code: trace.code(CodeSymbol(function: "static App.main()")))
        trace.emit(TaskEvent(.created, task: task, executor: main, label: label, detail: TaskKind.main.rawValue))
        trace.start(task, .slice)
        trace.advance(milliseconds: 1)
        let exported = ExportedTrace(trace)
        #expect(exported.text(format).contains("▶ running"))
        exported.store.end = .exit
        #expect(exported.text(format).contains("● ended"))
    }

    /// A continuation whose body returns the task that it continues.
    private static func returningItsAntecedent() -> ExportedTrace {
        var trace = TraceBuilder()
        let origin = trace.source("origin")
        trace.complete(origin)
        let again = trace.continuation("again", of: origin)
        trace.start(again, .inline)
        trace.link(again, to: origin, role: .inner)
        trace.complete(again)
        return ExportedTrace(trace)
    }

    @Test(
        "A continuation that returns its own antecedent keeps the edge to the task that it continues",
        arguments: ["dot", "mermaid", "otlp"])
    func returnedAntecedent(format: String) {
        let trace = Self.returningItsAntecedent()
        switch format {
        case "dot":
            let edges = trace.text(.dot).split(separator: "\n").filter { $0.contains("->") }
            #expect(edges == ["  t1 -> t2", "  t1 -> t2 [style=dotted, arrowhead=odot, label=\"inner\"]"])
        case "mermaid":
            #expect(trace.text(.mermaid).split(separator: "\n").count { $0.contains("t1") && $0.contains("t2") } == 2)
        default:
            #expect(trace.text(.otlp).contains("parentSpanId"))
        }
    }

    @Test("Graphviz shows chains as clusters, skips dashed, hops with names, errors red")
    func dot() {
        #expect(
            Self.small().text(.dot) == #"""
                digraph "sample" {
                  graph [rankdir=LR, fontname="Helvetica", color="#9a9a9a", compound=true]
                  node [fontname="Helvetica", fontsize=11, style="filled,rounded", shape=box, fillcolor="#f4f4f4", color="#606060"]
                  edge [fontname="Helvetica", fontsize=10, color="#606060"]
                  subgraph cluster_1 {
                    label="chain 1: save"
                    t1 [label="save\n✗ faulted · net · waited 0 ns · 2.0 ms\nBoom.throttled", shape=octagon, style="filled,bold", fillcolor="#ffd4d1"]
                    t2 [label="submit\n⊘ skipped · net\nBoom.throttled", shape=box, style="filled,dotted", fillcolor="#f4f4f4"]
                    t3 [label="show\n◐ suspended · net→main · waited 1.0 ms · 0 ns", shape=ellipse, style="filled", fillcolor="#d3efee"]
                  }
                  subgraph cluster_4 {
                    label="chain 4: inner"
                    t4 [label="inner\n○ pending", shape=ellipse, style="filled,dashed", fillcolor="#f4f4f4"]
                  }
                  subgraph cluster_5 {
                    label="chain 5: whenAll"
                    t5 [label="whenAll\n○ pending", shape=ellipse, style="filled,dashed", fillcolor="#f4f4f4"]
                  }
                  t1 -> t2 [style=dashed, color="#c4302b"]
                  t2 -> t3 [label="net → main, 1.0 ms", color="#a03fb0", fontcolor="#a03fb0", penwidth=2]
                  t4 -> t3 [style=dotted, arrowhead=odot, label="inner"]
                  t2 -> t5 [arrowhead=diamond]
                  t3 -> t5 [arrowhead=diamond]
                }

                """#)
    }

    @Test("Mermaid shows the same facts in its own syntax")
    func mermaid() {
        #expect(
            Self.small().text(.mermaid).hasPrefix(
                #"""
                flowchart LR
                  subgraph c1["chain 1: save"]
                    t1{{"save<br/>✗ faulted · net · waited 0 ns · 2.0 ms<br/>Boom.throttled"}}:::faulted
                    t2["submit<br/>⊘ skipped · net<br/>Boom.throttled"]:::skipped
                    t3(["show<br/>◐ suspended · net→main · waited 1.0 ms · 0 ns"]):::suspended
                  end
                  subgraph c4["chain 4: inner"]
                    t4(["inner<br/>○ pending"]):::pending
                  end
                  subgraph c5["chain 5: whenAll"]
                    t5(["whenAll<br/>○ pending"]):::pending
                  end
                  t1 -.-> t2
                  t2 -->|"net → main, 1.0 ms"| t3
                  t4 --o|"inner"| t3
                  t2 ==> t5
                  t3 ==> t5
                  linkStyle 1 stroke:#a03fb0,stroke-width:3px
                  linkStyle 0 stroke:#c4302b,stroke-width:3px
                  classDef pending fill:#f4f4f4,stroke:#606060,color:#1a1a1a,stroke-dasharray:4 3

                """#))
    }

    @Test("Every task is a node and every antecedent an edge, also one missing from the trace", arguments: ExportedTrace.Course.allCases)
    func structure(course: ExportedTrace.Course) {
        let trace = ExportedTrace.random(course, seed: 9)
        let edges = trace.store.rows.reduce(0) { $0 + trace.store[$1].antecedents.reduce(0) { count, _ in count + 1 } }
        let unknown = Set(trace.store.rows.flatMap { Array(trace.store[$0].antecedents) }.filter { trace.store.row(of: $0) == nil })
        let dot = trace.text(.dot).split(separator: "\n")
        #expect(dot.count { $0.contains(" -> t") } == edges)
        #expect(dot.count { $0.contains("    t") && $0.contains(" [label=") && !$0.contains(" -> ") } == trace.store.keptCount)
        #expect(dot.count { !$0.hasPrefix("    ") && $0.contains("unknown\"") } == unknown.count)
        let mermaid = trace.text(.mermaid).split(separator: "\n")
        #expect(mermaid.count { $0.contains(":::") } == trace.store.keptCount + unknown.count)
        #expect(mermaid.count { $0.contains("> t") || $0.contains("| t") || $0.contains("--o t") } == edges)
    }

    @Test("A quote in a name does not end the name")
    func quotes() {
        for line in ExportedTrace(HostileTrace.make()).text(.dot).split(separator: "\n") {
            let bare = line.replacing("\\\\", with: "").replacing("\\\"", with: "")
            #expect(bare.count { $0 == "\"" }.isMultiple(of: 2), "\(line)")
            #expect(
                bare.split(separator: "\"", omittingEmptySubsequences: false).enumerated().allSatisfy {
                    $0.offset.isMultiple(of: 2) || !$0.element.contains("<")
                })
        }
        for line in ExportedTrace(HostileTrace.make()).text(.mermaid).split(separator: "\n") {
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            #expect(parts.count == 1 || parts.count == 3)
            if parts.count == 3 { #expect(!parts[1].replacing("<br/>", with: "").contains { "<>\"`|{}[]\\&".contains($0) }) }
        }
    }

    @Test("Graphviz accepts the DOT export", .enabled(if: InstalledTool.dot.exists), arguments: ExportedTrace.Course.allCases)
    func accepted(course: ExportedTrace.Course) throws {
        for text in [ExportedTrace.random(course, seed: 2).text(.dot), ExportedTrace(HostileTrace.make()).text(.dot)] {
            #expect(try InstalledTool.dot.run(["-Tcanon"], input: text).isEmpty)
        }
    }
}
