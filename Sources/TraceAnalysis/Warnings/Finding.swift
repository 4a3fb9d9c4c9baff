import TaskEvents
import TraceStore

/// One problem that a rule found. ``WarningList/message(of:in:isASCII:)`` makes its sentence when a screen or a report shows it.
package struct Finding: Hashable, Sendable {
    /// The rule's id.
    package var rule: String
    package var severity: WarningSeverity
    /// The task with the problem. `.none` for a job without a task.
    package var task: TaskID
    /// The name and call site of the task, or of the closure without a task, which stay known after it. `.none` where the trace has none.
    package var label: EntryID
    /// The name that the task's own code had given to it by then. A task of a server goes on to its next request.
    package var name: EntryID
    /// The label of the place with the problem, or the calls there: the task's, unless the rule knows a nearer one.
    package var site: EntryID
    /// The executor with the problem. `.none` if the finding concerns no executor.
    package var executor: ExecutorID
    /// The time of the problem, in nanoseconds of the trace.
    package var at: UInt64
    /// The measured value in the unit of the threshold. For a rule without a threshold, a number that the sentence needs.
    package var measure: UInt64
    /// Further numbers that the sentence needs.
    package var numbers: [UInt64]
    /// The events that prove the finding, in the order of its sentence. At most ``evidenceLimit``.
    package var evidence: [Evidence]
    /// The index in ``evidence`` of the event that shows the harm. A screen opens this event first.
    package var harm: Int

    /// A finding keeps at most this many events.
    static let evidenceLimit = 32

    /// The label of the task. Code whose names were not known yet may have given it a better one since. But a task that was called after the
    /// user's function that it ran may be in another one now.
    func label(in store: TraceStore) -> EntryID {
        if store.entries.isCode(label) { return label }
        return store.task(task)?.labelID ?? label
    }
}

/// A reference to an event, sufficient to find the event in any reading of the trace.
package struct Evidence: Hashable, Sendable {
    package var kind: EventKind
    /// The event's task. `.none` for a job without a task.
    package var task: TaskID
    /// The event's other task. For a wait, the task whose body blocks.
    package var other: TaskID
    package var executor: ExecutorID
    /// The event's label, where the sentence needs it.
    package var label: EntryID
    /// The time of the event. Nil if the store no longer has it.
    package var at: UInt64?

    package init(
        _ kind: EventKind, of task: TaskID, by other: TaskID = .none, on executor: ExecutorID = .none, label: EntryID = .none, at: UInt64?
    ) {
        self.kind = kind
        self.task = task
        self.other = other
        self.executor = executor
        self.label = label
        self.at = at
    }

    init(_ event: TaskEvent) {
        self.init(event.kind ?? .mark, of: event.task, on: event.executor, label: event.label, at: event.time)
    }

    /// The event's number in the trace's total order, if the trace still has the event. Without a time, the latest event of the kind.
    package func number(in history: TraceHistory) -> Int? {
        let isThis = { (event: TaskEvent) in event.kind == kind && event.task == task }
        if let at { return history.number(ofEventAt: at, where: isThis) }
        var number = history.latest.eventCount
        while let event = history.latest.event(number: number)?.event {
            if isThis(event) { return number }
            number -= 1
        }
        return nil
    }
}

extension TaskView {
    var createdEvidence: Evidence { Evidence(.created, of: id, on: executor, label: labelID, at: created) }
    var startedEvidence: Evidence { Evidence(.started, of: id, on: executor, at: started) }

    /// The event that dropped the error of a group's child. Nil if the trace has none.
    var dropEvidence: Evidence? {
        kind == .groupChild && scopeEnd == .left ? Evidence(.released, of: id, by: structuredParent ?? .none, at: nil) : nil
    }

    /// The event that ended the task. Nil while the task has not ended.
    var endEvidence: Evidence? {
        switch state {
        case .succeeded: Evidence(.completed, of: id, at: ended)
        case .faulted: Evidence(.faulted, of: id, label: error, at: ended)
        case .cancelled: Evidence(.cancelled, of: id, at: ended)
        case .pending, .queued, .running, .suspended: nil
        }
    }
}

/// The severity of a finding, the worst first.
package enum WarningSeverity: UInt8, CaseIterable, Comparable, Sendable {
    /// An error of the program: a task hangs, was completed twice, or failed without a reader.
    case error
    /// The program loses something: an error, or the time of waiting tasks.
    case warning
    /// The program pays a cost that may be intended.
    case note

    package static func < (one: WarningSeverity, other: WarningSeverity) -> Bool {
        one.rawValue < other.rawValue
    }

    /// The word that reports use.
    package var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .note: "note"
        }
    }
}
