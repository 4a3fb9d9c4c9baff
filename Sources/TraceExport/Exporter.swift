import TaskEvents
import TraceAnalysis
import TraceStore

/// The formats of other tools. Each has its own file and an entry here. The raw values are the arguments of `--to` and never change.
package enum ExportFormat: String, CaseIterable, Sendable {
    case perfetto, otlp, dot, mermaid, jsonl, tables

    /// The description in the help.
    package var summary: String {
        switch self {
        case .perfetto: "Chrome's trace JSON, for ui.perfetto.dev"
        case .otlp: "OpenTelemetry's traces as JSON, for collectors"
        case .dot: "the graph for Graphviz: dot -Tsvg"
        case .mermaid: "the graph as a Mermaid flowchart"
        case .jsonl: "every event, a JSON object a line"
        case .tables: "ended tasks, hops, faults and findings, a JSON object a line, for DuckDB and others"
        }
    }
}

/// Writes a trace in the formats of other tools.
///
/// Writes during the read, so memory does not grow with the trace. Two exports of one trace are identical. Names and errors of the
/// inspected program are escaped. The store must not change during a write; one thread uses both.
package struct Exporter<Events: Sequence> where Events.Element == NumberedEvent {
    let store: TraceStore
    let program: String
    let start: UInt64
    let events: Events
    private let warnings: WarningList?

    /// - Parameters:
    ///   - store: has folded all of `events`.
    ///   - program: the name of the inspected program.
    ///   - start: the trace's start in nanoseconds of Unix time, 0 if unknown. Only `otlp` and `tables` write it.
    ///   - events: all events in order. Only `perfetto` and `jsonl` read them.
    ///   - warnings: the findings, which only `tables` writes. If nil, the rules are applied to the events that the store still has.
    package init(
        of store: TraceStore, program: String, startedAt start: UInt64, events: Events, warnings: WarningList? = nil
    ) {
        self.store = store
        self.program = program
        self.start = start
        self.events = events
        self.warnings = warnings
    }

    package func write(_ format: ExportFormat, to output: inout some TextOutputStream) {
        switch format {
        case .perfetto: PerfettoExport(store: store, program: program).write(events, to: &output)
        case .otlp: OTLPExport(store, program: program, startedAt: start).write(to: &output)
        case .dot: DOTExport(store, program: program).write(to: &output)
        case .mermaid: MermaidExport(store).write(to: &output)
        case .jsonl: JSONLinesExport(store: store).write(events, to: &output)
        case .tables:
            let warnings = warnings ?? WarningEngine().list(in: store, isOver: true)
            TablesExport(store, program: program, startedAt: start, warnings: warnings).write(to: &output)
        }
    }
}

extension Exporter where Events == RecentEvents {
    /// Exports the events that the store still holds, at most the latest 262,144.
    package init(of store: TraceStore, program: String, startedAt start: UInt64) {
        self.init(of: store, program: program, startedAt: start, events: RecentEvents(of: store))
    }
}

/// The events that a store still holds, the oldest first.
package struct RecentEvents: Sequence, IteratorProtocol {
    private let store: TraceStore
    private var number: Int

    package init(of store: TraceStore) {
        self.store = store
        number = (1..<Swift.max(store.eventCount, 1)).partitioningIndex { store.event(number: $0) != nil }
    }

    package mutating func next() -> NumberedEvent? {
        defer { number += 1 }
        return store.event(number: number)
    }
}
