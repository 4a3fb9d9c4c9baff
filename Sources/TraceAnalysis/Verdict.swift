/// How a fault ended, all its ends taken together: the best of them. Ordered from the best to the worst.
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
    /// The trace cannot tell: what would decide may have happened unseen. Takes the place of every verdict that says what did not happen.
    case unknown

    package static func < (one: Verdict, other: Verdict) -> Bool {
        one.rawValue < other.rawValue
    }

    /// Whether it rests on events that the trace has. The others rest on the absence of a read.
    var isProven: Bool {
        switch self {
        case .recovered, .read: true
        case .pending, .swallowed, .unobserved, .unknown: false
        }
    }

    /// Whether the error is lost: it ended, and nothing read it.
    package var isLost: Bool {
        switch self {
        case .swallowed, .unobserved: true
        case .recovered, .read, .pending, .unknown: false
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

    /// What became of a fault, as a sentence's end: `recovered from`.
    package var sentence: String {
        switch self {
        case .recovered: "recovered from"
        case .read: "read"
        case .pending: "not at its end yet"
        case .swallowed: "swallowed: a body ran on it without reading it"
        case .unobserved: "never read"
        case .unknown: "unknown: the trace cannot tell"
        }
    }
}
