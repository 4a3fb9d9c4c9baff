import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTransport

/// The events of a trace as an answer has them: in words, as the inspector's Events screen.
enum EventRows {
    static func value(_ numbered: NumberedEvent, in trace: ObservedTrace) -> JSONValue {
        let event = numbered.event
        return [
            "event": .integer(numbered.number), "at_ns": JSONValue(event.time),
            "task": JSONValue(event.task == .none ? nil : event.task.rawValue),
            "text": .string(TaskWords(trace.store).sentence(of: event)),
        ]
    }

    /// The last events of a task, in order.
    static func last(_ count: Int, of task: TaskID, in trace: ObservedTrace) -> [JSONValue] {
        var found: [Int] = []
        trace.reading.history.forEachStretch { stretch in
            for (index, event) in stretch.events.enumerated() where event.task == task || event.otherTask == task {
                found.append(stretch.first + index)
                if found.count > count { found.removeFirst() }
            }
        }
        return found.compactMap { number in trace.reading.history.event(number: number).map { value($0, in: trace) } }
    }
}
