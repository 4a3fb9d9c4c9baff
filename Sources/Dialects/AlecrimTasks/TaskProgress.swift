import TaskEvents

/// Holds a task's course and performs the actions of its transitions. Does not keep the task alive.
final class TaskProgress: Sendable {
    private let course = Guarded(TaskCourse())
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

    private func perform(_ duties: TaskCourse.Duties, _ task: (any TaskType)?) {
        if duties.contains(.giveUpTurn) { Exclusion.shared.leave(id) }
        guard duties.contains(.tellOfFinish), let task else { return }
        for observer in observers { observer.taskDidFinish(task) }
    }
}
