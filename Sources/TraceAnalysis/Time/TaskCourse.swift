import TaskEvents
import TraceStore

/// The states of a task from its creation to its end, or until now, one after the other and without gaps.
struct TaskCourse {
    enum State {
        /// The task waits for its antecedents, a timer or its source, or has not been queued yet.
        case pending
        case queued, running, blocked, suspended
    }

    struct Stretch {
        var start: UInt64
        var end: UInt64
        /// `suspended`: the task whose value it awaits.
        var awaited = TaskID.none
        /// `pending` and `suspended`: the task that ended the wait by enqueueing the job.
        var waker = TaskID.none
        /// `suspended` and `blocked`: the calls or the condition.
        var calls = EntryID.none
        var executor = ExecutorID.none
        /// `running` and `blocked`: the lane of its thread.
        var lane: UInt16?
        var state: State
        var reason: SuspensionReason?
        /// `running`: whether the run was taken from a queue, perhaps without having waited there.
        var isDequeued = false
    }

    let created: UInt64
    let end: UInt64
    private(set) var stretches: [Stretch] = []

    init(of task: TaskView, _ steps: TaskSteps, in store: TraceStore) {
        created = task.created ?? 0
        end = max(created, task.ended ?? store.now)
        var current = Stretch(start: created, end: created, state: .pending)
        let steps = steps.steps(of: task.id)
        stretches.reserveCapacity(steps.count + 1)
        for step in steps {
            guard step.time < end else { break }
            guard var next = Self.next(after: current, step) else { continue }
            // The clocks of two threads may differ a little.
            next.start = max(step.time, current.start)
            if step.kind == .queued { current.waker = TaskID(rawValue: UInt64(step.other)) }
            next.isDequeued = next.state == .running && current.state == .queued
            close(current, at: next.start)
            current = next
        }
        close(current, at: end)
    }

    private mutating func close(_ stretch: Stretch, at time: UInt64) {
        guard time > stretch.start else { return }
        stretches.append(stretch)
        stretches[stretches.count - 1].end = time
    }

    /// Nil for a step that changes nothing.
    private static func next(after current: Stretch, _ step: TaskSteps.Step) -> Stretch? {
        var next = Stretch(start: 0, end: 0, executor: ExecutorID(rawValue: step.executor), state: .running)
        switch step.kind {
        case .queued:
            next.state = .queued
            return current.state == .queued ? nil : next
        case .running:
            if step.executor == 0 { next.executor = current.executor }
            next.lane = UInt16(exactly: step.other)
            return next
        case .moved:
            next.lane = current.lane
            return current.state == .running ? next : nil
        case .suspended:
            next.state = .suspended
            next.awaited = TaskID(rawValue: UInt64(step.other))
            next.calls = EntryID(rawValue: step.label)
            next.reason = SuspensionReason(rawValue: step.detail)
            return next
        case .blocked:
            next.state = .blocked
            (next.executor, next.lane) = (current.executor, current.lane)
            next.calls = EntryID(rawValue: step.label)
            return current.state == .running ? next : nil
        case .unblocked:
            (next.executor, next.lane) = (current.executor, current.lane)
            return current.state == .blocked ? next : nil
        }
    }

    /// The number of stretches that start before `time`: at most `limit`, and mostly as many or one less.
    func count(before time: UInt64, atMost limit: Int) -> Int {
        for count in stride(from: limit, through: max(limit - 1, 0), by: -1) where count == 0 || stretches[count - 1].start < time {
            return count
        }
        return stretches[..<limit].partitioningIndex { $0.start >= time }
    }
}
