import TaskEvents
import TraceStore

/// One thing that a rule found. Its sentence is made when it is shown: ``WarningList/message(of:in:isASCII:)``.
package struct Finding: Hashable, Sendable {
    /// The rule's id.
    package var rule: String
    package var severity: WarningSeverity
    /// The task that it is about; `.none` where it is about a job that is no task's.
    package var task: TaskID
    /// The task's name and call site, which outlast the task; `.none` where the trace has none.
    package var label: EntryID
    /// The executor that it is about, `.none` if it is about none.
    package var executor: ExecutorID
    /// When it came about, in nanoseconds of the trace.
    package var at: UInt64
    /// What was held against the threshold, in its unit. Of a rule without one, a number that its sentence needs.
    package var measure: UInt64
    /// Further numbers that its sentence needs.
    package var numbers: [UInt64]
    /// The events that prove it, in the order of its sentence: at most ``evidenceLimit``.
    package var evidence: [Evidence]
    /// The place in ``evidence`` of the event that shows the harm. A screen opens it first.
    package var harm: Int

    /// A finding keeps at most this many events.
    static let evidenceLimit = 32

    /// - Parameter harm: the event among `evidence` that shows the harm; the first that is not a task's creation if nil.
    package init(
        _ rule: some WarningRule, _ task: TaskView?, executor: ExecutorID = .none, at: UInt64, measure: UInt64 = 0, numbers: [UInt64] = [],
        evidence: [Evidence], harm: Evidence? = nil
    ) {
        self.rule = rule.id
        severity = rule.severity
        self.task = task?.id ?? .none
        label = task?.labelID ?? .none
        self.executor = executor
        self.at = at
        self.measure = measure
        self.numbers = numbers
        var kept = Array(evidence.prefix(Self.evidenceLimit))
        if let harm, !kept.contains(harm) { kept[kept.count - 1] = harm }
        self.evidence = kept
        self.harm = harm.flatMap { kept.firstIndex(of: $0) } ?? kept.firstIndex { $0.kind != .created } ?? 0
    }
}

/// A reference to an event: enough to find it again in any reading of the trace.
package struct Evidence: Hashable, Sendable {
    package var kind: EventKind
    /// The event's task; `.none` for a job that is no task's.
    package var task: TaskID
    /// The event's other task: of a wait, whose body blocks.
    package var other: TaskID
    package var executor: ExecutorID
    /// The event's label, where the sentence needs it.
    package var label: EntryID
    /// Nil where the trace says that it happened and the store does not keep when.
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

    /// The number of the event in the trace's one order, if the trace still has it. Without a time it is the latest that there is of the kind.
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

    /// The event that ended it. Nil while it has not.
    var endEvidence: Evidence? {
        switch state {
        case .succeeded: Evidence(.completed, of: id, at: ended)
        case .faulted: Evidence(.faulted, of: id, label: error, at: ended)
        case .cancelled: Evidence(.cancelled, of: id, at: ended)
        case .pending, .queued, .running, .suspended: nil
        }
    }

    /// Its body's return, which is when it began to wait for the task that its body returned.
    var suspendedAt: UInt64? { started.map { $0 + busy } }
}
