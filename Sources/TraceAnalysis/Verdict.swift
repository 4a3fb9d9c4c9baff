/// How a fault ended, all its ends taken together: the best of them. Ordered from the best to the worst.
package enum Verdict: UInt8, CaseIterable, Comparable, Sendable {
    /// A body read the error and went on.
    case recovered
    /// Somebody read it.
    case read
    /// A task that takes the error has not ended.
    case pending
    /// A body ran on it and did not look, or a join ended without it.
    case swallowed
    /// Nobody read it.
    case unobserved

    package static func < (one: Verdict, other: Verdict) -> Bool {
        one.rawValue < other.rawValue
    }

    /// The word that reports use.
    package var name: String {
        switch self {
        case .recovered: "recovered"
        case .read: "read"
        case .pending: "pending"
        case .swallowed: "swallowed"
        case .unobserved: "unobserved"
        }
    }
}
