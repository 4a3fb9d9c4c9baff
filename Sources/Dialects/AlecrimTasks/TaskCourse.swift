/// How far a task has come on the way to its body's return, and whether it has been finished meanwhile, which anybody may do at any time.
struct TaskCourse {
    private enum Stage {
        /// For its turn, its conditions, its queue.
        case waiting
        /// Its observers are being told that it starts.
        case starting
        case running
        case returned
        /// The body will not run.
        case abandoned
    }

    /// What a transition leaves its caller to do.
    struct Duties: OptionSet {
        let rawValue: UInt8

        /// To let the next task of its categories go on.
        static let giveUpTurn = Duties(rawValue: 1)
        static let tellOfFinish = Duties(rawValue: 2)
    }

    private var stage = Stage.waiting
    private var isFinished = false

    /// Whether the body may run. That of a task which has been finished may, unless it was cancelled.
    mutating func begin() -> Bool {
        guard stage == .waiting else { return false }
        stage = .starting
        return true
    }

    /// The observers have been told of the start, and may be told of the finish.
    mutating func tellOfStart() -> Duties {
        precondition(stage == .starting, "the observers of a task that is \(stage) were told that it starts")
        stage = .running
        return isFinished ? .tellOfFinish : []
    }

    mutating func bodyReturned() -> Duties {
        precondition(stage == .running, "the body of a task that is \(stage) has returned")
        stage = .returned
        return isFinished ? .giveUpTurn : []
    }

    /// Its conditions do not let it begin.
    mutating func abandon() -> Duties {
        guard stage == .waiting else { return [] }
        stage = .abandoned
        return .giveUpTurn
    }

    mutating func finished(isCancelled: Bool) -> Duties {
        isFinished = true
        switch stage {
        case .waiting: return isCancelled ? abandon() : []
        case .starting, .abandoned: return []
        case .running: return .tellOfFinish
        case .returned: return [.giveUpTurn, .tellOfFinish]
        }
    }
}
