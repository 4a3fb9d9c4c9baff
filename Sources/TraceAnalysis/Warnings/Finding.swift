import TaskEvents
import TraceStore

/// One thing that a rule found. Its sentence is made when somebody shows it: ``WarningList/message(of:in:isASCII:)``.
package struct Finding: Hashable, Sendable {
    /// The rule's id.
    package var rule: String
    package var severity: WarningSeverity
    /// The task that it is about; nil where it is about a job that is no task's.
    package var task: TaskID?
    /// The executor that it is about, if it is about one.
    package var executor: ExecutorID?
    /// When it came about, in nanoseconds of the trace.
    package var at: UInt64
    /// What was held against the threshold, in its unit. Of a rule without one, a number that its sentence needs.
    package var measure: UInt64
    /// The events that prove it, in the order of its sentence. Of a great many, the first.
    package var evidence: [Evidence]

    package init(
        _ rule: some WarningRule, task: TaskID?, executor: ExecutorID? = nil, at: UInt64, measure: UInt64 = 0, evidence: [Evidence]
    ) {
        self.rule = rule.id
        severity = rule.severity
        self.task = task
        self.executor = executor
        self.at = at
        self.measure = measure
        self.evidence = evidence
    }
}

/// A reference to an event: enough to jump to it.
package struct Evidence: Hashable, Sendable {
    package var kind: EventKind
    /// The event's task; `.none` for a job that is no task's.
    package var task: TaskID
    package var executor: ExecutorID
    /// The event's label, where the sentence needs it.
    package var label: EntryID
    /// Nil where the trace says that it happened and the store does not keep when.
    package var at: UInt64?

    package init(_ kind: EventKind, of task: TaskID, on executor: ExecutorID = .none, label: EntryID = .none, at: UInt64?) {
        self.kind = kind
        self.task = task
        self.executor = executor
        self.label = label
        self.at = at
    }

    /// The word that reports use: the event's name.
    package var word: String { String(describing: kind) }
}

extension TaskView {
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
