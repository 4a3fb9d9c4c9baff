import CTraceLanes
import TaskEvents
import TextOutput
import TraceReport
import TraceStore
import TraceTransport

/// The events in order, one object per line, with names, sites, errors and executors as text. `Docs/Exports.md` lists the keys.
///
/// Memory does not grow with the trace beyond the store. Executors of one name have numbers, as everywhere (`disk#2`).
struct JSONLinesExport: Export {
    static let name = "jsonl"
    static let summary = "every event, a JSON object a line"

    let trace: Exporter
    /// Has folded all events, so that each executor has its final number.
    private var store: TraceStore { trace.store }
    private var entries: EntryTable { store.entries }

    func write(to output: inout some TextOutputStream) {
        var line = JSONLine()
        for event in trace.events {
            line.removeAll()
            write(event, to: &line)
            output.write(line.text)
            output.write("\n")
        }
    }

    private func write(_ numbered: NumberedEvent, to line: inout JSONLine) {
        let event = store.attributed(numbered.event)
        line.object { line in
            line.field("number", numbered.number)
            line.field("time_ns", event.time)
            if numbered.lane == Int(TraceBatch.noLane) { line.null("lane") } else { line.field("lane", numbered.lane) }
            guard let kind = event.kind else {
                writeUnknown(event, to: &line)
                return
            }
            let description = EventDescription[kind]
            line.field("event", description.name)
            if event.task != .none { line.field("task", event.task.rawValue) }
            if let detail = description.name(ofDetail: event.detail) { line.field("detail", detail) }
            writeExecutorAndOther(of: event, description.other, to: &line)
            writeLabel(event.label, as: description.label, to: &line)
        }
    }

    /// Writes the raw fields of a record whose kind a later version has added.
    private func writeUnknown(_ event: TaskEvent, to line: inout JSONLine) {
        line.field("event", "unknown")
        line.field("kind", Int(event.record.kind))
        line.field("task", event.task.rawValue)
        line.field("detail", Int(event.detail))
        line.field("executor", Int(event.executor.rawValue))
        line.field("label", Int(event.label.rawValue))
        line.field("other", event.other)
    }

    private func writeExecutorAndOther(of event: TaskEvent, _ other: EventDescription.Other, to line: inout JSONLine) {
        if case .executor = other {
            line.field("from", orNull: store.name(of: ExecutorID(rawValue: UInt16(truncatingIfNeeded: event.other))))
            line.field("to", orNull: store.name(of: event.executor))
        } else if let name = store.name(of: event.executor) {
            line.field("executor", name)
        }
        switch other {
        case .number(let key): line.field(key, event.other)
        case .task(let key, _): if event.otherTask != .none { line.field(key, event.other) }
        case .choice:
            line.field("choice", event.choiceNumber)
            line.field("strand", Int(event.strand))
        case .unused, .executor: break
        }
    }

    private func writeLabel(_ id: EntryID, as kind: EventDescription.Label, to line: inout JSONLine) {
        switch kind {
        case .error:
            let error = ReportedError(id, in: store)
            line.object("error") { line in
                line.field("type", error.type)
                line.field("message", error.message)
            }
        case .text: line.field("text", entries.text(id))
        case .callSite:
            guard let label = entries.label(id) else { return }
            line.field("name", label.name)
            if !label.site.isEmpty { line.field("site", label.site) }
        }
    }
}
