/// The end of a fault: the best of all its ends. Ordered from the best to the worst.
package enum Verdict: UInt8, CaseIterable, Comparable, Sendable {
    /// A body read the error and succeeded.
    case recovered
    /// The error was read.
    case read
    /// A task that takes the error has not ended.
    case pending
    /// A body ran on the failed task and did not read the error, or a join ended without it.
    case swallowed
    /// Nothing read the error.
    case unobserved
    /// The trace cannot tell, because the deciding event may have happened unseen. Replaces each verdict that rests on a missing event.
    case unknown

    package static func < (one: Verdict, other: Verdict) -> Bool {
        one.rawValue < other.rawValue
    }

    /// Whether it rests on events in the trace. The other verdicts rest on the absence of a read.
    var isProven: Bool {
        switch self {
        case .recovered, .read: true
        case .pending, .swallowed, .unobserved, .unknown: false
        }
    }

    /// Whether the error is unread: its path has ended, and nothing read it.
    package var isUnread: Bool {
        switch self {
        case .swallowed, .unobserved: true
        case .recovered, .read, .pending, .unknown: false
        }
    }

    /// Its place in a list that begins with the unread errors.
    package var rank: Int {
        switch self {
        case .unobserved: 0
        case .swallowed: 1
        case .pending: 2
        case .unknown: 3
        case .read: 4
        case .recovered: 5
        }
    }

    /// The word that reports use.
    package var name: String {
        switch self {
        case .recovered: "recovered"
        case .read: "read"
        case .pending: "pending"
        case .swallowed: "swallowed"
        case .unobserved: "unobserved"
        case .unknown: "unknown"
        }
    }

    /// The verdict as the end of a sentence: `recovered from`.
    package var sentence: String {
        switch self {
        case .recovered: "recovered from"
        case .read: "read"
        case .pending: "not settled yet"
        case .swallowed: "swallowed: a body ran on it without reading it"
        case .unobserved: "never read"
        case .unknown: "unknown: the trace cannot tell"
        }
    }
}
