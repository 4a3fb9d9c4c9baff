import TaskEvents

// The words that exports use for events and their details. Files are read by other programs: they are added to, never changed.

extension EventKind {
    package var word: String {
        switch self {
        case .thread: "thread"
        case .created: "created"
        case .antecedent: "antecedent"
        case .enqueued: "enqueued"
        case .started: "started"
        case .suspended: "suspended"
        case .resumed: "resumed"
        case .hopped: "hopped"
        case .jobEnded: "jobEnded"
        case .skipped: "skipped"
        case .completed: "completed"
        case .faulted: "faulted"
        case .cancelled: "cancelled"
        case .errorRead: "errorRead"
        case .released: "released"
        case .waitBegan: "waitBegan"
        case .waitEnded: "waitEnded"
        case .condition: "condition"
        case .completedTwice: "completedTwice"
        case .held: "held"
        case .stepped: "stepped"
        case .lost: "lost"
        case .mark: "mark"
        case .cancellationAsked: "cancellationAsked"
        }
    }

    /// What the record's `detail` says, in a word; nil where it says nothing, or what this version does not know.
    package func word(ofDetail detail: UInt8) -> String? {
        switch self {
        case .created: TaskKind(rawValue: detail)?.name
        case .antecedent: AntecedentRole(rawValue: detail)?.word
        case .started: StartManner(rawValue: detail)?.word
        case .suspended: SuspensionReason(rawValue: detail)?.word
        case .hopped: HopManner(rawValue: detail)?.word
        case .faulted: FaultManner(rawValue: detail)?.word
        case .cancelled: CancellationManner(rawValue: detail)?.word
        case .condition: ConditionResult(rawValue: detail)?.word
        case .waitEnded: detail == 1 ? "timed-out" : nil
        case .completedTwice: detail == 1 ? "trapped" : "tried"
        case .thread, .enqueued, .resumed, .jobEnded, .skipped, .completed, .errorRead, .released, .waitBegan, .held, .stepped, .lost,
            .mark, .cancellationAsked:
            nil
        }
    }
}

extension AntecedentRole {
    package var word: String {
        switch self {
        case .input: "input"
        case .inner: "inner"
        case .awaited: "awaited"
        }
    }
}

extension StartManner {
    package var word: String {
        switch self {
        case .dequeued: "dequeued"
        case .inline: "inline"
        case .slice: "slice"
        }
    }
}

extension SuspensionReason {
    package var word: String {
        switch self {
        case .innerTask: "inner-task"
        case .condition: "condition"
        case .awaiting: "awaiting"
        case .task: "task"
        case .continuation: "continuation"
        case .group: "group"
        case .executor: "executor"
        }
    }
}

extension HopManner {
    package var word: String {
        switch self {
        case .dispatched: "dispatched"
        case .inline: "inline"
        case .depthGuard: "depth-guard"
        }
    }
}

extension FaultManner {
    package var word: String {
        switch self {
        case .thrown: "thrown"
        case .forwarded: "forwarded"
        case .transformed: "transformed"
        case .injected: "injected"
        }
    }
}

extension CancellationManner {
    package var word: String {
        switch self {
        case .thrown: "thrown"
        case .asked: "asked"
        case .forwarded: "forwarded"
        case .token: "token"
        case .injected: "injected"
        }
    }
}

extension ConditionResult {
    package var word: String {
        switch self {
        case .satisfied: "satisfied"
        case .notSatisfied: "not-satisfied"
        case .failed: "failed"
        }
    }
}
