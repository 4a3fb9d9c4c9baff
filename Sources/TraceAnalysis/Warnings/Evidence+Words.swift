import TaskEvents

extension Evidence {
    /// What happened, in a word or two; reports and screens use the same.
    package var word: String {
        switch kind {
        case .thread: "thread"
        case .created: "created"
        case .antecedent: "linked"
        case .enqueued: "queued"
        case .started: "started"
        case .suspended: "suspended"
        case .resumed: "went on"
        case .hopped: "hopped"
        case .jobEnded: "job ended"
        case .skipped: "skipped"
        case .completed: "succeeded"
        case .faulted: "faulted"
        case .cancelled: "cancelled"
        case .errorRead: "error read"
        case .released: "let go of"
        case .waitBegan: "began to wait"
        case .waitEnded: "wait ended"
        case .condition: "condition"
        case .completedTwice: "set again"
        case .held: "held"
        case .stepped: "stepped"
        case .lost: "lost"
        case .mark: "mark"
        case .cancellationAsked: "asked to stop"
        }
    }
}
