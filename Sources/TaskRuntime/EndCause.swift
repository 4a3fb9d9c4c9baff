import TaskEvents

/// The reason why a task ended. The trace records it with the outcome.
package enum EndCause: Sendable {
    /// The task's body returned or threw, or the task was made ended.
    case own
    /// Code outside the task set the outcome at this call site.
    case set(EntryID)
    /// The task took over the outcome of this task.
    case following(TaskID)
    /// The task failed in place of this task's error, or of several errors if the task is `.none`.
    case replacing(TaskID)
    /// The task's token was cancelled.
    case token
    /// An inspector ended the task.
    case injected

    /// The cause for an error that a body threw after it read the errors in `reads`. The error is one of them or replaces the first of
    /// them. If the body read no error, the cause is `cause`.
    init(throwing error: any Error, after reads: [ErrorRead], orElse cause: EndCause = .own) {
        if let again = reads.first(where: { $0.isSame(as: error) }) {
            self = .following(again.task)
        } else if let replaced = reads.first {
            self = .replacing(replaced.task)
        } else {
            self = cause
        }
    }

    /// The task whose outcome was taken over or replaced.
    var source: TaskID {
        switch self {
        case .following(let task), .replacing(let task): task
        case .own, .set, .token, .injected: .none
        }
    }

    var site: EntryID {
        switch self {
        case .set(let site): site
        case .own, .following, .replacing, .token, .injected: .none
        }
    }

    var faultManner: FaultManner {
        switch self {
        case .following: .forwarded
        case .replacing: .transformed
        case .own, .set, .token: .thrown
        case .injected: .injected
        }
    }

    var cancellationManner: CancellationManner {
        switch self {
        case .own, .replacing: .thrown
        case .set: .asked
        case .following: .forwarded
        case .token: .token
        case .injected: .injected
        }
    }
}

extension Emit {
    /// The call site at which code outside a task set its outcome.
    @inline(__always)
    static func setSite(_ fileID: StaticString, _ line: UInt) -> EntryID {
        label(name: nil, or: "set", fileID: fileID, line: line)
    }
}
