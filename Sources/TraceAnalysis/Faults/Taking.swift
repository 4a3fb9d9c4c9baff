import TaskEvents
import TraceStore

/// The way in which a task that is linked to a failed task deals with the error.
enum Taking: Equatable {
    /// The task does not take the error: it was cancelled before its body began, or its body never looked at the error.
    case nothing
    /// The task is a join that ended without the error. The error ends at the input: `swallowed` if the input had ended before the join,
    /// otherwise `unobserved`.
    case dropped(FaultRole)
    /// The task will get the error, but has not got it yet.
    case pending
    /// The task could have read the error, and the trace cannot tell whether it did.
    case unclear
    /// The error ends in the task.
    case ended(FaultRole)
    /// The task ended with the error, or with one that it made from the error.
    case carried(FaultRole)

    /// Whether the path continues to the task.
    var isTaken: Bool {
        switch self {
        case .nothing, .dropped: false
        case .pending, .unclear, .ended, .carried: true
        }
    }

    /// The task's role on the path. Nil for a task that does not take the error or has not got it yet.
    var role: FaultRole? {
        switch self {
        case .nothing, .dropped, .pending, .unclear: nil
        case .ended(let role), .carried(let role): role
        }
    }
}

extension TaskView {
    /// Whether the error of `source` has reached this task's body, which awaits the error or has read it.
    ///
    /// A task that awaits a value is listed as a reader before there is an error. It has the error once it has run after the end of
    /// `source`.
    package func hasReceivedError(of source: TaskView) -> Bool {
        guard !state.hasEnded else { return true }
        if waitsFor == source.id, inner != source.id { return false }
        guard let failed = source.ended else { return true }
        // The parent has a child's error when it runs again, or when it took the error without a suspension.
        if source.structuredParent == id { return (lastRun ?? 0) >= failed || source.isProvenReader(id) }
        guard state == .queued, let lastSuspension else { return true }
        return lastSuspension >= failed
    }
}
