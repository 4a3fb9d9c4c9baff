import TaskEvents
import TraceStore

/// Describes tasks for screens and reports. Formats only the facts that a caller asks for.
package struct TaskWords {
    let store: TraceStore
    /// Knows tasks that `store` does not have: those after an earlier state.
    private let other: TraceStore?

    package init(_ store: TraceStore, orElse other: TraceStore? = nil) {
        self.store = store
        self.other = other
    }

    /// The task's role towards the error in words: `error forwarded`, `read the error, recovered`. Nil if the role needs no words.
    package func role(_ role: FaultRole?, of task: TaskView) -> String? {
        let hasFailed = task.state == .faulted
        return switch role {
        case nil: nil
        case .thrown: "error thrown"
        case .injected: "error injected"
        case .forwarded: "error forwarded"
        case .transformed: "made another error of it"
        case .read:
            if hasFailed {
                task.endedTheProgram ? "its error ended the program" : "error read outside of the tasks"
            } else {
                task.state == .cancelled ? "read the error, cancelled" : "read the error"
            }
        case .recovered: "read the error, recovered"
        case .swallowed: hasFailed && task.faultManner != .thrown ? "a join ended without the error" : "ran without reading the error"
        case .unobserved: "error never read"
        }
    }

    /// `waited 1.1 ms`. Nil if the task waited in no queue, and if it is not known how long.
    package func wait(of task: TaskView, isASCII: Bool = false) -> String? {
        task.queued == nil ? nil : task.queuedTime.map { "waited \(DurationText.text($0, isASCII: isASCII))" }
    }

    /// The executor that the task asked for, after the executor that it came from if it hopped: `net→main`. Empty without an executor.
    package func executor(of task: TaskView, isASCII: Bool = false) -> String {
        guard task.executor != .none else { return "" }
        var last: Hop?
        for hop in task.hops { last = hop }
        guard let last, last.from != .none else { return name(task.executor) }
        return "\(name(last.from))\(isASCII ? "->" : "→")\(name(last.to))"
    }

    package func name(_ executor: ExecutorID) -> String {
        executor == .none ? "no executor" : PrintableText.text(store.description(of: executor).name)
    }

    /// The task's name. `task 12` for a task that the store does not keep.
    package func name(of task: TaskID) -> String {
        (store.task(task) ?? other?.task(task)).map { name(of: $0) } ?? task.words
    }

    /// The task's name, with its line if tasks from other places have the same name: `save:12`. A task without a name of its own is called
    /// after its code: `handle(_:) App.swift:25`.
    package func name(of task: TaskView) -> String {
        Self.name(task.label, in: store)
    }

    /// The name for the beginning of the task's error. A child of `async let` has the name of its parent's function, which may have handled the
    /// error. The error began in the function that threw it.
    package func nameOfOrigin(_ task: TaskView) -> String {
        guard task.kind == .asyncLet else { return name(of: task) }
        return store.entries.function(ofError: task.error).map { PrintableText.text($0) } ?? "async let of \(name(of: task))"
    }

    static func name(_ label: Label, in store: TraceStore) -> String {
        let name = PrintableText.text(label.fullName)
        return !label.isOfCode && label.line > 0 && store.entries.isShared(label.name) ? "\(name):\(label.line)" : name
    }

    /// The name of a job: its task's, or that of the function that gave the closure to the executor. `a closure` if neither is known.
    package func name(of task: TaskID, closure label: EntryID) -> String {
        guard task == .none else { return name(of: task) }
        return store.entries.label(label).map { Self.name($0, in: store) } ?? "a closure"
    }

    /// The place that made a job, without the module: `HopStorm.swift:29`. Nil if unknown, and if the job's name tells it.
    package func site(of task: TaskID, closure label: EntryID = .none) -> String? {
        let label = task == .none ? store.entries.label(label) : store.task(task)?.label
        guard let label, !label.file.isEmpty, !label.isOfCode else { return nil }
        let file = label.file.split(separator: "/").last.map(String.init) ?? label.file
        return PrintableText.text("\(file):\(label.line)")
    }

    /// The name and the place of a label, each nil if it has none.
    package func nameAndSite(of label: EntryID) -> (name: String?, site: String?) {
        guard let label = store.entries.label(label) ?? other?.entries.label(label) else { return (nil, nil) }
        return (PrintableText.text(label.name), label.site.isEmpty ? nil : PrintableText.text(label.site))
    }

    /// The task's error on one line. Nil for a task that has not failed.
    package func error(of task: TaskView) -> String? {
        task.state == .faulted ? ErrorText.text(store.entries.error(task.error)) : nil
    }
}

extension TaskWords {
    /// Describes an event in a sentence about one of its tasks: its own task, or the task in its field `other`.
    package func event(_ event: TaskEvent, of task: TaskID) -> String {
        guard let kind = event.kind else { return "an event that this version does not know" }
        let event = (store.task(event.task) == nil ? other ?? store : store).attributed(event)
        let description = EventDescription[kind]
        if event.task == .none, task != .none, let text = description.textWithoutTask { return filled(text, with: event) }
        if event.task != task, case .task(_, let words) = description.other {
            return "\(name(of: event.task)): \(event.otherTask == task ? words : description.word)"
        }
        if isSleep(event) { return "suspended until its timer ends" }
        return filled(description.text(detail: event.detail, isAlone: event.otherTask == .none), with: event)
    }

    /// Whether a task suspends to sleep. The runtime suspends it on a continuation, which a timer resumes.
    private func isSleep(_ event: TaskEvent) -> Bool {
        guard event.kind == .suspended, event.detail == SuspensionReason.continuation.rawValue else { return false }
        return store.sleeps(in: event.label) || other?.sleeps(in: event.label) == true
    }

    /// The task of an event, by its name, or the closure that begins or ends, by the function that gave it to the executor. Nil if the
    /// sentence of the event names none.
    package func subject(of event: TaskEvent) -> String? {
        guard event.task == .none else {
            // A task's first event brings its name.
            let label = event.kind == .created ? store.entries.label(event.label) : nil
            return label.map { Self.name($0, in: store) } ?? name(of: event.task)
        }
        guard event.kind.flatMap({ EventDescription[$0].textWithoutTask }) == nil else { return nil }
        return name(of: .none, closure: event.label)
    }

    /// The event as the end of a sentence that begins with the ``subject(of:)``.
    package func predicate(of event: TaskEvent) -> String {
        guard event.task == .none, let text = event.kind.flatMap({ EventDescription[$0].textWithoutTask }) else {
            let site = event.kind == .started && event.task == .none ? site(of: .none, closure: event.label) : nil
            return self.event(event, of: event.task) + (site.map { ", given at \($0)" } ?? "")
        }
        return filled(text, with: event)
    }

    /// An event in a sentence: `setValedictorian faulted: forwarded NSError from forcedFailure`.
    package func sentence(of event: TaskEvent) -> String {
        let predicate = predicate(of: event)
        return subject(of: event).map { "\($0) \(predicate)" } ?? predicate
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
        case "{type}": return PrintableText.text(store.entries.error(event.label)?.type ?? "an error")
        case "{text}": return PrintableText.text(store.entries.text(event.label))
        case "{number}": return String(event.other)
        case "{count}": return CountText.text(event.other)
        case _: return event.otherTask == .none ? "a thread" : self.name(of: event.otherTask)
        }
    }
}

extension TaskID {
    /// `2` for a task, `block 2` for a block.
    package var shortWords: String { isBlock ? words : "\(shown)" }

    /// `Task 2`, `Block 2`: the beginning of a sentence.
    package var firstWords: String { words.prefix(1).uppercased() + words.dropFirst() }
}
