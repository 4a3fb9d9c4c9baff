import TaskEvents
import TraceStore

extension TaskWords {
    /// An event as a sentence about one of the tasks that it concerns: its own, or the one in its field `other`.
    package func event(_ event: TaskEvent, of task: TaskID) -> String {
        guard let kind = event.kind else { return "an event that this version does not know" }
        let description = EventDescription[kind]
        if event.task != task, case .task(_, let words) = description.other { return "\(name(of: event.task)): \(words)" }
        return filled(description.text(detail: event.detail, isAlone: event.otherTask == .none), with: event)
    }

    private func filled(_ template: String, with event: TaskEvent) -> String {
        var text = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            text += rest[..<open]
            text += field(rest[open...close], of: event)
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }

    private func field(_ name: Substring, of event: TaskEvent) -> String {
        switch name {
        case "{executor}": return event.executor == .none ? "" : self.name(event.executor)
        case "{from}":
            let from = ExecutorID(rawValue: UInt16(truncatingIfNeeded: event.other))
            return from == .none ? "a thread of no executor" : self.name(from)
        case "{error}": return ErrorText.text(store.entries.error(event.label))
        case _: return self.name(of: event.otherTask)
        }
    }
}
