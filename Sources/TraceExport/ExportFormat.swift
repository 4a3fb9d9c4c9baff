/// What a trace can be written as for other tools. The raw values are what `--to` takes; they never change.
package enum ExportFormat: String, CaseIterable, Sendable {
    /// Chrome's trace JSON, which Perfetto opens.
    case perfetto
    /// OpenTelemetry's traces, as one request in the JSON encoding of its protocol.
    case otlp
    /// Graphviz.
    case dot
    /// A Mermaid flowchart.
    case mermaid
    /// Events as they came, a JSON object a line.
    case jsonl
}
