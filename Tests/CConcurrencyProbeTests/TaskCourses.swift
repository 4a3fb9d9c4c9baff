import TaskEvents

/// A Swift task's life by the records alone, checked against the order that the runtime guarantees.
struct TaskCourses {
    enum Stage {
        case created, queued, running, suspended, ended
    }

    private(set) var kinds: [TaskID: TaskKind] = [:]
    private(set) var ends: [TaskID: EventKind] = [:]
    private(set) var asked: Set<TaskID> = []
    /// Impossible orders of events, in words.
    private(set) var violations: [String] = []
    private var stages: [TaskID: Stage] = [:]

    init(_ events: [TaskEvent]) {
        for event in events { take(event) }
    }

    private mutating func take(_ event: TaskEvent) {
        switch event.kind {
        case .created:
            kinds[event.task] = TaskKind(rawValue: event.detail)
            step(event, .created, from: [nil])
        case .enqueued: step(event, .queued, from: [.created, .suspended])
        case .started: step(event, .running, from: event.detail == StartManner.slice.rawValue ? [.queued, .created] : [.created])
        case .resumed: step(event, .running, from: [.suspended])
        case .suspended: step(event, .suspended, from: [.running])
        case .completed, .faulted, .cancelled:
            ends[event.task] = event.kind
            step(event, .ended, from: [.running])
        case .cancellationAsked: asked.insert(event.task)
        case _: break
        }
    }

    private mutating func step(_ event: TaskEvent, _ next: Stage, from allowed: [Stage?]) {
        let stage = stages[event.task]
        if !allowed.contains(stage) {
            violations.append("task \(event.task.rawValue) was \(stage.map { "\($0)" } ?? "unknown") when it became \(next)")
        }
        stages[event.task] = next
    }

    /// The number of the program's tasks that have such an event.
    func count(_ kind: EventKind) -> Int {
        ends.count { $0.value == kind && isOfProgram($0.key) }
    }

    /// The number of tasks that the program created, without its main function.
    var created: Int { kinds.keys.count { isOfProgram($0) } }

    /// The number of cancelled tasks, without those that Swift cancels at the end of the scope of an `async let`.
    var askedToStop: Int { asked.count { isOfProgram($0) && kinds[$0] != .asyncLet } }

    private func isOfProgram(_ task: TaskID) -> Bool {
        kinds[task] != .internal && kinds[task] != .main
    }
}
