import TaskEvents
import TraceAnalysis
import TraceStore

/// The graph of tasks as a Mermaid flowchart, with the same nodes and edges as for Graphviz.
struct MermaidExport: Export {
    static let name = "mermaid"
    static let summary = "the graph as a Mermaid flowchart"

    private let graph: TaskGraph

    init(trace: Exporter) {
        graph = TaskGraph(trace.store)
    }

    func write(to output: inout some TextOutputStream) {
        output.write("flowchart LR\n")
        for chain in graph.chains() {
            output.write("  subgraph c\(chain.id.rawValue)[\(Self.quoted([graph.title(ofChain: chain.id)]))]\n")
            for task in chain.tasks.lazy.compactMap({ graph.store.task($0) }) {
                let state = DisplayedState(task)
                let (open, close) = brackets(of: TaskGraph.look(of: state).shape)
                output.write("    t\(task.id.rawValue)\(open)\(Self.quoted(graph.lines(of: task)))\(close):::\(state.word)\n")
            }
            output.write("  end\n")
        }
        writeEdges(to: &output)
        for state in DisplayedState.allCases { output.write("  classDef \(state.word) \(style(of: TaskGraph.look(of: state)))\n") }
    }

    private func writeEdges(to output: inout some TextOutputStream) {
        var count = 0
        var hops: [Int] = []
        var errors: [Int] = []
        graph.forEachEdge { edge, isFirst in
            let (from, to) = (edge.from.rawValue, edge.to.rawValue)
            if isFirst { output.write("  t\(from)[\"task \(from)<br/>unknown\"]:::unknown\n") }
            let text = graph.text(of: edge).map { "|\(Self.quoted([$0]))|" } ?? ""
            output.write("  t\(from) \(arrow(of: edge.link))\(text) t\(to)\n")
            if edge.carriesError { errors.append(count) } else if edge.hop != nil { hops.append(count) }
            count += 1
        }
        writeStyle("stroke:#a03fb0,stroke-width:3px", of: hops, to: &output)
        writeStyle("stroke:#c4302b,stroke-width:3px", of: errors, to: &output)
    }

    private func writeStyle(_ style: String, of edges: [Int], to output: inout some TextOutputStream) {
        guard !edges.isEmpty else { return }
        output.write("  linkStyle \(edges.map(String.init).joined(separator: ",")) \(style)\n")
    }

    private func arrow(of link: TaskGraph.Link) -> String {
        switch link {
        case .continued: "-->"
        case .skipped: "-.->"
        case .input: "==>"
        case .inner, .awaited, .resumed: "--o"
        }
    }

    private func brackets(of shape: TaskGraph.Look.Shape) -> (open: String, close: String) {
        switch shape {
        case .ellipse: ("([", "])")
        case .box: ("[", "]")
        case .octagon: ("{{", "}}")
        }
    }

    private func style(of look: TaskGraph.Look) -> String {
        let dashes = look.outline == .dashed || look.outline == .dotted ? ",stroke-dasharray:4 3" : ""
        return "fill:\(look.fill),stroke:#606060,color:#1a1a1a\(dashes)"
    }

    /// A label of several lines. Mermaid interprets Markdown, HTML and its own codes inside quotes, so such characters are written as
    /// codes.
    private static func quoted(_ lines: [String]) -> String {
        "\"" + lines.map(encoded).joined(separator: "<br/>") + "\""
    }

    private static func encoded(_ line: String) -> String {
        var encoded = ""
        let scalars = line.unicodeScalars
        for index in scalars.indices {
            let next = scalars.index(after: index)
            if isPlain(scalars[index], before: next == scalars.endIndex ? nil : scalars[next]) {
                encoded.unicodeScalars.append(scalars[index])
            } else {
                encoded += "#\(scalars[index].value);"
            }
        }
        return encoded
    }

    private static func isPlain(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", " ", ".", ",", "(", ")", "-", "/", "'", "=", "+": true
        // Mermaid finds `style…:#…;` in any line and removes the semicolon.
        case ":": next == " "
        case _: scalar.value >= 0xA0
        }
    }
}
