import TaskEvents

/// Holds a task's progress and performs the actions of its transitions. Does not keep the task alive.
final class TaskProgress: Sendable {
    private let course = Guarded(AlecrimCourse())
    private let id: TaskID
    private let observers: [TaskObserver]

    init(of id: TaskID, _ observers: [TaskObserver]) {
        self.id = id
        self.observers = observers
    }

    func begin() -> Bool {
        course.withLock { $0.begin() }
    }

    func tellOfStart(_ task: any TaskType) {
        for observer in observers { observer.taskDidStart(task) }
        perform(course.withLock { $0.tellOfStart() }, task)
    }

    func bodyReturned() {
        perform(course.withLock { $0.bodyReturned() }, nil)
    }

    func abandon() {
        perform(course.withLock { $0.abandon() }, nil)
    }

    func finished(_ task: (any TaskType)?, isCancelled: Bool) {
        perform(course.withLock { $0.finished(isCancelled: isCancelled) }, task)
    }

    private func perform(_ duties: AlecrimCourse.Duties, _ task: (any TaskType)?) {
        if duties.contains(.giveUpTurn) { Exclusion.shared.leave(id) }
        guard duties.contains(.tellOfFinish), let task else { return }
        for observer in observers { observer.taskDidFinish(task) }
    }
}

/// A task's progress from its creation to its body's return. Any code may finish the task at any stage.
struct AlecrimCourse {
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

    /// Returns whether the body may run. The body of a finished task may run, unless the task was cancelled.
    mutating func begin() -> Bool {
        guard stage == .waiting else { return false }
        stage = .starting
        return true
    }

    /// Called when the observers have been notified of the start.
    mutating func tellOfStart() -> Duties {
        precondition(stage == .starting, "a task that is \(stage) has started before")
        stage = .running
        return isFinished ? .tellOfFinish : []
    }

    mutating func bodyReturned() -> Duties {
        precondition(stage == .running, "the body of a task that is \(stage) has returned")
        stage = .returned
        return isFinished ? .giveUpTurn : []
    }

    /// Called when the task's conditions prevent its start, or when it is cancelled while it waits.
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
