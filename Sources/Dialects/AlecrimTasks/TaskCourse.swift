/// A task's progress from its creation to its body's return. Any code may finish the task at any stage.
struct TaskCourse {
    private enum Stage {
        /// Waits for its turn, its conditions or its queue.
        case waiting
        /// Its observers are being notified of the start.
        case starting
        case running
        case returned
        /// The body will not run.
        case abandoned
    }

    /// The actions that a transition requires of its caller.
    struct Duties: OptionSet {
        let rawValue: UInt8

        /// Let the next task of its categories proceed.
        static let giveUpTurn = Duties(rawValue: 1)
        static let tellOfFinish = Duties(rawValue: 2)
    }

    private var stage = Stage.waiting
    private var isFinished = false

    /// Whether the body may run. The body of a finished task may run, unless the task was cancelled.
    mutating func begin() -> Bool {
        guard stage == .waiting else { return false }
        stage = .starting
        return true
    }

    /// The observers have been notified of the start.
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

    /// The task's conditions prevent its start.
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
