import TaskEvents
import TraceAnalysis
import TraceStore

/// The graph of tasks for Graphviz: one node per task and one cluster per chain. Edges lead from a task to the tasks that continue, join,
/// return or await it.
struct DOTExport: Export {
    static let name = "dot"
    static let summary = "the graph for Graphviz: dot -Tsvg"

    private let graph: TaskGraph
    private let program: String

    init(trace: Exporter) {
        graph = TaskGraph(trace.store)
        program = TaskGraph.clipped(PrintableText.text(trace.program))
    }

    func write(to output: inout some TextOutputStream) {
        output.write("digraph \(Self.quoted(program.isEmpty ? "trace" : program)) {\n")
        output.write("  graph [rankdir=LR, fontname=\"Helvetica\", color=\"#9a9a9a\", compound=true]\n")
        output.write(
            "  node [fontname=\"Helvetica\", fontsize=11, style=\"filled,rounded\", shape=box, fillcolor=\"#f4f4f4\", color=\"#606060\"]\n")
        output.write("  edge [fontname=\"Helvetica\", fontsize=10, color=\"#606060\"]\n")
        for chain in graph.chains() {
            output.write("  subgraph cluster_\(chain.id.rawValue) {\n")
            output.write("    label=\(Self.quoted(graph.title(ofChain: chain.id)))\n")
            for task in chain.tasks.lazy.compactMap({ graph.store.task($0) }) { writeNode(task, to: &output) }
            output.write("  }\n")
        }
        writeEdges(to: &output)
        output.write("}\n")
    }

    private func writeNode(_ task: TaskView, to output: inout some TextOutputStream) {
        let look = TaskGraph.look(of: DisplayedState(task))
        // A box has round corners unless its outline says more.
        let style = look.outline == .plain ? (look.shape == .box ? "filled,rounded" : "filled") : "filled,\(look.outline.rawValue)"
        output.write("    t\(task.id.rawValue) [label=\(Self.quoted(lines: graph.lines(of: task))), ")
        output.write("shape=\(look.shape.rawValue), style=\"\(style)\", fillcolor=\"\(look.fill)\"]\n")
    }

    private func writeEdges(to output: inout some TextOutputStream) {
        graph.forEachEdge { edge, isFirst in
            let (from, to) = (edge.from.rawValue, edge.to.rawValue)
            if isFirst { output.write("  t\(from) [label=\"task \(from)\\nunknown\", style=\"dashed\"]\n") }
            output.write("  t\(from) -> t\(to)\(attributes(of: edge))\n")
        }
    }

    private func attributes(of edge: TaskGraph.Edge) -> String {
        var attributes: [String] = []
        switch edge.link {
        case .continued: break
        case .skipped: attributes.append("style=dashed")
        case .input: attributes.append("arrowhead=diamond")
        case .inner, .awaited, .resumed: attributes.append("style=dotted, arrowhead=odot")
        }
        if let text = graph.text(of: edge) { attributes.append("label=\(Self.quoted(text))") }
        if edge.carriesError {
            attributes.append("color=\"#c4302b\"")
        } else if edge.hop != nil {
            attributes.append("color=\"#a03fb0\", fontcolor=\"#a03fb0\"")
        }
        if edge.hop != nil { attributes.append("penwidth=2") }
        return attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
    }

    private static func quoted(_ text: String) -> String { quoted(lines: [text]) }

    /// A label of several lines. Graphviz interprets escapes and HTML entities inside quotes.
    private static func quoted(lines: [String]) -> String {
        var quoted = "\""
        for (number, line) in lines.enumerated() {
            if number > 0 { quoted += "\\n" }
            for scalar in line.unicodeScalars {
                switch scalar {
                case "\"": quoted += "\\\""
                case "\\": quoted += "\\\\"
                case "&": quoted += "&amp;"
                case "<": quoted += "&lt;"
                case ">": quoted += "&gt;"
                case _: quoted.unicodeScalars.append(scalar)
                }
            }
        }
        return quoted + "\""
    }
}
