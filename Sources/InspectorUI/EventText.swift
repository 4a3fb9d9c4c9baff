import TaskEvents
import TraceAnalysis
import TraceStore

/// An event in words, as said of one of the tasks that it concerns.
enum EventText {
    static func text(_ event: TaskEvent, of task: TaskID, in model: Model) -> String {
        guard let kind = event.kind else { return "something that this version does not know" }
        let words = TaskWords(model.store)
        let executor = event.executor == .none ? "" : words.name(event.executor)
        let other = event.task == task ? event.otherTask : event.task
        let name = other == .none ? "" : NextText.name(of: other, in: model)
        guard event.task == task else { return "\(name): \(word(of: kind))" }
        switch kind {
        case .created: return name.isEmpty ? "created" : isMade(event) ? "created by \(name)" : "created, to follow \(name)"
        case .antecedent: return antecedent(event, name)
        case .enqueued: return "put into the queue of \(executor)"
        case .started: return event.detail == StartManner.inline.rawValue ? "its body began, inline" : "its body began, on \(executor)"
        case .suspended: return name.isEmpty ? suspension(event) : "suspended until \(name) has ended"
        case .hopped:
            let from = ExecutorID(rawValue: UInt16(truncatingIfNeeded: event.other))
            return "hopped from \(from == .none ? "a thread of no executor" : words.name(from)) to \(executor)"
        case .jobEnded: return "its job on \(executor) came back"
        case .skipped: return "skipped: took what \(name) ended with"
        case .faulted: return "failed: \(ErrorText.text(model.store.entries.error(event.label)))"
        case .errorRead: return name.isEmpty ? "its error was read" : "\(name) read its error"
        case .released: return "released"
        case .waitBegan: return name.isEmpty ? "a thread began to wait for it" : "\(name) blocks until it has ended"
        case .waitEnded: return "a thread that waited for it goes on"
        case .cancellationAsked: return name.isEmpty ? "asked to stop" : "asked to stop by \(name)"
        case .thread, .resumed, .completed, .cancelled, .condition, .completedTwice, .held, .stepped, .lost, .mark: return word(of: kind)
        }
    }

    /// Whether the task follows nothing, but was made by another's body.
    private static func isMade(_ event: TaskEvent) -> Bool {
        TaskKind(rawValue: event.detail)?.isOfSwift == true
    }

    private static func antecedent(_ event: TaskEvent, _ name: String) -> String {
        switch AntecedentRole(rawValue: event.detail) {
        case .inner: "its body returned \(name)"
        case .awaited: "awaits \(name)"
        case .input, nil: "waits for \(name) too"
        }
    }

    private static func suspension(_ event: TaskEvent) -> String {
        switch SuspensionReason(rawValue: event.detail) {
        case .continuation: "suspended until its continuation is resumed"
        case .group: "suspended until a task of its group has ended"
        case .executor: "suspended to change executors"
        case .innerTask, .condition, .awaiting, .task, nil: "suspended"
        }
    }

    private static func word(of kind: EventKind) -> String {
        switch kind {
        case .thread: "thread"
        case .created: "created"
        case .antecedent: "has it as an antecedent"
        case .enqueued: "put into a queue"
        case .started: "began"
        case .suspended: "suspended on it"
        case .resumed: "what it waited for has come"
        case .hopped: "hopped"
        case .jobEnded: "its job came back"
        case .skipped: "skipped"
        case .completed: "succeeded"
        case .faulted: "failed with its error"
        case .cancelled: "cancelled"
        case .errorRead: "its error was read here"
        case .released: "released"
        case .waitBegan: "is waited for"
        case .waitEnded: "is waited for no more"
        case .condition: "a condition was evaluated"
        case .completedTwice: "was to be set a second time"
        case .held: "held by a gate"
        case .stepped: "let through by a gate"
        case .lost: "events are missing here"
        case .mark: "a mark"
        case .cancellationAsked: "asked to stop"
        }
    }
}
