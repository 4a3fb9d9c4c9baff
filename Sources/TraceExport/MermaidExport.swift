import TaskEvents
import TraceAnalysis
import TraceReport
import TraceStore

/// The graph of tasks as a Mermaid flowchart, with the same nodes and edges as for Graphviz.
struct MermaidExport {
    private let graph: TaskGraph

    init(_ store: TraceStore) {
        graph = TaskGraph(store)
    }

    func write(to output: inout some TextOutputStream) {
        output.write("flowchart LR\n")
        for chain in graph.chains() {
            output.write("  subgraph c\(chain.id.rawValue)[\(Self.quoted([graph.title(ofChain: chain.id)]))]\n")
            for task in chain.tasks.lazy.compactMap({ graph.store.task($0) }) {
                let mark = StateMark(task)
                let (open, close) = brackets(of: mark)
                output.write("    t\(task.id.rawValue)\(open)\(Self.quoted(graph.lines(of: task)))\(close):::\(mark.word)\n")
            }
            output.write("  end\n")
        }
        writeEdges(to: &output)
        for mark in StateMark.allCases where mark != .unknown { output.write("  classDef \(mark.word) \(look(of: mark))\n") }
        output.write("  classDef unknown fill:#f4f4f4,stroke:#606060,color:#1a1a1a,stroke-dasharray:4 3\n")
    }

    private func writeEdges(to output: inout some TextOutputStream) {
        var unknown: Set<TaskID> = []
        var count = 0
        var hops: [Int] = []
        var errors: [Int] = []
        for row in graph.store.rows {
            for edge in graph.edges(into: graph.store[row]) {
                if graph.store.row(of: edge.from) == nil, unknown.insert(edge.from).inserted {
                    output.write("  t\(edge.from.rawValue)[\"task \(edge.from.rawValue)<br/>unknown\"]:::unknown\n")
                }
                let text = graph.text(of: edge).map { "|\(Self.quoted([$0]))|" } ?? ""
                output.write("  t\(edge.from.rawValue) \(arrow(of: edge.link))\(text) t\(edge.to.rawValue)\n")
                if edge.carriesError { errors.append(count) } else if edge.hop != nil { hops.append(count) }
                count += 1
            }
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
        case .inner, .awaited: "--o"
        }
    }

    private func brackets(of mark: StateMark) -> (open: String, close: String) {
        switch mark {
        case .pending, .queued, .running, .suspended, .unknown: ("([", "])")
        case .ended, .succeeded, .cancelled, .skipped: ("[", "]")
        case .faulted: ("{{", "}}")
        }
    }

    private func look(of mark: StateMark) -> String {
        let isDashed = [.pending, .skipped, .cancelled, .unknown].contains(mark)
        return "fill:\(TaskGraph.fill(mark)),stroke:#606060,color:#1a1a1a\(isDashed ? ",stroke-dasharray:4 3" : "")"
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
