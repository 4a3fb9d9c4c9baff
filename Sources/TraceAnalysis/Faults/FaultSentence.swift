import TaskEvents
import TraceStore

/// Describes the steps of an error's path in sentences: `` `report` on main read KinesisError.throttled 1.1 ms later and returned a value:
/// recovered ``.
package struct FaultSentence {
    let store: TraceStore
    let words: TaskWords
    private let isASCII: Bool
    private let callsErrorIt: Bool

    /// - Parameter callsErrorIt: whether to write `it` for an error that a task got, for sentences that stand below the error's name.
    package init(_ store: TraceStore, isASCII: Bool = false, callsErrorIt: Bool = false) {
        self.store = store
        self.isASCII = isASCII
        self.callsErrorIt = callsErrorIt
        words = TaskWords(store)
    }

    /// The sentence, without a full stop. Safe to print on a terminal.
    package func text(of step: FaultStep) -> String {
        guard let task = store.task(step.task) else { return "\(step.task.words) is not kept any more" }
        guard let source = store.task(step.from) else { return origin(task, step.role) }
        if step.isAgain { return thrownAgain(task, step) }
        let error = callsErrorIt ? "it" : ErrorText.text(store.entries.error(source.error))
        let subject = subject(task)
        switch step.role {
        case nil: return open(error, in: task)
        case .thrown, .injected: return origin(task, step.role)
        case .forwarded, .transformed: return carrying(error, by: task, from: source) + site(of: step)
        case .recovered: return "\(subject) read \(error)\(later(task, source)) and returned a value: recovered"
        case .read:
            guard !task.carriesError(of: source) else {
                let end = task.endedTheProgram ? ", which ended the program" : ", which was read outside of the tasks: read"
                return carrying(error, by: task, from: source) + end
            }
            return "\(subject) read \(error)\(later(task, source)) and \(task.state == .cancelled ? "ended cancelled" : "went on"): read"
        case .swallowed:
            guard !task.carriesError(of: source) else {
                return carrying(error, by: task, from: source) + ", and a join continued without it: swallowed"
            }
            return "\(subject) ran\(later(task, source)) without looking at \(error): swallowed"
        case .unobserved: return carrying(error, by: task, from: source) + ", which was never read: unobserved"
        }
    }

    func subject(_ task: TaskView) -> String {
        let name = "`\(words.name(of: task))`"
        return task.executor == .none ? name : "\(name) on \(words.name(task.executor))"
    }

    private func thrownAgain(_ task: TaskView, _ step: FaultStep) -> String {
        let error = callsErrorIt ? "it" : words.error(of: task) ?? "the error"
        return "\(subject(task)) threw \(error) again\(site(of: step))"
    }

    /// ` in File.swift:12`; empty if the place of the throw is unknown.
    private func site(of step: FaultStep) -> String {
        let site = step.site(in: store)
        return site.isEmpty ? "" : " in \(PrintableText.text(site))"
    }

    private func open(_ error: String, in task: TaskView) -> String {
        let subject = subject(task)
        if task.state.hasEnded { return "\(subject) ran after \(error), and the trace cannot tell whether it read it" }
        if store.isOver { return "the program ended before \(subject) got \(error)" }
        return "\(subject) has not ended: what becomes of \(error) is open"
    }

    private func origin(_ task: TaskView, _ role: FaultRole?) -> String {
        let error = words.error(of: task) ?? "an error"
        let subject = subject(task)
        if role == .injected { return "The inspector made \(subject) fail with \(error)" }
        guard role == .thrown else { return "\(subject) failed with \(error), whose beginning the trace has lost" }
        guard task.startManner != nil else { return "\(subject) was given \(error)" }
        return "\(subject) threw \(error)" + (task.busy.map { " after \(DurationText.text($0, isASCII: isASCII))" } ?? "")
    }

    /// Describes how the task ended with the error of `source`, or with an error made from it.
    private func carrying(_ error: String, by task: TaskView, from source: TaskView) -> String {
        let isOther = task.faultManner == .transformed || task.faultManner == .thrown
        return subject(task) + (isOther ? transforming(error, by: task, from: source) : forwarding(error, by: task, from: source))
    }

    private func forwarding(_ error: String, by task: TaskView, from source: TaskView) -> String {
        if task.isSkipped { return " was skipped and passed \(error) on" }
        if task.kind == .join { return " ended with \(error), as its input `\(words.name(of: source))` had" }
        if task.inner == source.id { return " ended with \(error), as the task that its body returned had" }
        return " read \(error)\(later(task, source)) and threw it again"
    }

    private func transforming(_ error: String, by task: TaskView, from source: TaskView) -> String {
        let other = words.error(of: task) ?? "another error"
        if task.kind == .join { return " gathered \(error) with the errors of other inputs into \(other)" }
        if task.inner == source.id { return " ended with \(other), as the task that its body returned had failed with \(error)" }
        return " read \(error)\(later(task, source)) and ended with \(other) instead"
    }

    /// ` 1.1 ms later` or ` at once`. Empty if a time is missing.
    private func later(_ task: TaskView, _ source: TaskView) -> String {
        guard let delay = delay(from: source, to: task) else { return "" }
        return delay == 0 ? " at once" : " \(DurationText.text(delay, isASCII: isASCII)) later"
    }

    /// Nanoseconds from the end of the task that had the error until the next task got it. Nil if a time is missing.
    package func delay(of step: FaultStep) -> UInt64? {
        guard !step.isAgain, let task = store.task(step.task), let source = store.task(step.from) else { return nil }
        return delay(from: source, to: task)
    }

    private func delay(from source: TaskView, to task: TaskView) -> UInt64? {
        guard let taken = FaultLink(task: task, taking: .pending).knownTakenAt(from: source), let ended = source.ended else { return nil }
        return taken - ended
    }
}

extension TaskView {
    /// Whether it ended with the error of `source`, or with an error made from it.
    func carriesError(of source: TaskView) -> Bool {
        guard state == .faulted else { return false }
        switch faultManner {
        case .forwarded: return true
        case .transformed: return faultSource == .none || faultSource == source.id
        case .thrown, .injected, nil: return false
        }
    }
}
