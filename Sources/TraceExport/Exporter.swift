import TaskEvents
import TraceStore

/// Writes a trace in the formats of other tools.
///
/// Nothing is put together in memory: what is read is written, task by task or event by event. Two exports of one trace are the same bytes.
/// Names and errors of the inspected program are written so that no reader of the format takes them for more than text. The store must not
/// change meanwhile; both belong to one thread.
package struct Exporter<Events: Sequence> where Events.Element == NumberedEvent {
    let store: TraceStore
    /// The name of the program that was inspected.
    let program: String
    /// The trace's start in nanoseconds of Unix time; 0 where it is not known.
    let start: UInt64
    /// All events of the trace, in its order.
    let events: Events

    /// `store` has folded all of `events`, which `perfetto` and `jsonl` go through once more; the other formats need none.
    /// `start` is when the trace began, in nanoseconds of Unix time; only `otlp` tells it.
    package init(of store: TraceStore, program: String, startedAt start: UInt64, events: Events) {
        self.store = store
        self.program = program
        self.start = start
        self.events = events
    }

    package func write(_ format: ExportFormat, to output: inout some TextOutputStream) {
        switch format {
        case .perfetto: PerfettoExport(store, program: program).write(events, to: &output)
        case .otlp: OTLPExport(store, program: program, startedAt: start).write(to: &output)
        case .dot: DOTExport(store, program: program).write(to: &output)
        case .mermaid: MermaidExport(store).write(to: &output)
        case .jsonl: JSONLinesExport(store.entries).write(events, to: &output)
        }
    }
}

extension Exporter where Events == RecentEvents {
    /// With the events that the store itself still has: the latest 262,144.
    package init(of store: TraceStore, program: String, startedAt start: UInt64) {
        self.init(of: store, program: program, startedAt: start, events: RecentEvents(of: store))
    }
}

/// The events that a store still has, oldest first.
package struct RecentEvents: Sequence, IteratorProtocol {
    private let store: TraceStore
    private var number: Int

    package init(of store: TraceStore) {
        self.store = store
        // The ring is as long as it is: the oldest number that it still answers is found by halving.
        var (missing, kept) = (0, Swift.max(store.eventCount, 1))
        while kept - missing > 1 {
            let middle = (kept + missing) / 2
            if store.event(number: middle) == nil { missing = middle } else { kept = middle }
        }
        number = kept
    }

    package mutating func next() -> NumberedEvent? {
        defer { number += 1 }
        return store.event(number: number)
    }
}
