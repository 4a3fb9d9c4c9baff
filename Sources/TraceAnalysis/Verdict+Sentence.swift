extension Verdict {
    /// What became of a fault, as a sentence's end: `recovered from`.
    package var sentence: String {
        switch self {
        case .recovered: "recovered from"
        case .read: "read"
        case .pending: "not at its end yet"
        case .swallowed: "swallowed: a body ran on it without reading it"
        case .unobserved: "never read"
        }
    }
}
