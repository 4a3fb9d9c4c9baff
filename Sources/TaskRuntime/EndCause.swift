import TaskEvents

/// Why a task ended as it did. Together with the outcome it is what the trace says of the end.
package enum EndCause: Sendable {
    /// Its body returned or threw, or it was made so.
    case own
    /// It was set from outside, at that place.
    case set(EntryID)
    /// It took over the outcome of that task.
    case following(TaskID)
    /// It failed in place of that task's error, or, with no task, of several.
    case replacing(TaskID)
    /// Its token was cancelled.
    case token
    /// An inspector ended it.
    case injected

    /// A body that has looked at errors threw `error`: its own, one that it had read, or one in place of it.
    /// Without them it is `cause`.
    init(throwing error: any Error, after reads: [ErrorRead], orElse cause: EndCause = .own) {
        if let again = reads.first(where: { $0.isSame(as: error) }) {
            self = .following(again.task)
        } else if let replaced = reads.first {
            self = .replacing(replaced.task)
        } else {
            self = cause
        }
    }

    /// The task that the outcome came from.
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
    /// The place where a task was given its outcome from outside.
    @inline(__always)
    static func setSite(_ fileID: StaticString, _ line: UInt) -> EntryID {
        label(name: nil, or: "set", fileID: fileID, line: line)
    }
}
