import TaskEvents
import TraceStore

/// The reason why a task took its time: what happened from its creation to its end, without what happened beside that.
///
/// The path is followed from the end backwards. Where the task ran, blocked or was queued, that is the path. Where it waited for another
/// task, the path is that of the other task, as long as the wait ended with it. The segments lie end to end, so their sum is the task's
/// time.
package struct CriticalPath {
    package struct Segment: Hashable, Sendable {
        package enum Kind: String, CaseIterable, Sendable {
            case running
            case onCPU = "on-cpu"
            case runnable, blocked, queued, awaiting
        }

        package var kind: Kind
        package var start: UInt64
        package var end: UInt64
        package var task: TaskID
        package var executor: ExecutorID
        /// The calls in which it blocks or awaits, or the condition. `.none` if unknown.
        package var calls: EntryID
        /// What it awaits, for `awaiting`. Nil if the trace does not show it.
        package var wait: WaitsFor.Kind?

        package var nanoseconds: UInt64 { end - start }
    }

    /// In the order of time.
    package private(set) var segments: [Segment] = []

    package init(of task: TaskView, _ steps: TaskSteps, in store: TraceStore) {
        self.init(of: task, TaskCourses(store, steps))
    }

    init(of task: TaskView, _ courses: TaskCourses) {
        var walk = PathWalk(courses)
        segments = walk.path(of: task)
    }
}

private struct PathWalk {
    private let store: TraceStore
    private let steps: TaskSteps
    private let courses: TaskCourses
    private var segments: [CriticalPath.Segment] = []
    /// The tasks on the way, each of which waits for the next, and the time before which the path belongs to the task before it.
    private var frames: [(task: TaskView, floor: UInt64)] = []
    /// The same tasks. A task that waits for one of them would lead the path in a circle.
    private var active: Set<TaskID> = []
    /// The time that the path has been followed back to.
    private var time: UInt64 = 0

    init(_ courses: TaskCourses) {
        (store, steps, self.courses) = (courses.store, courses.steps, courses)
    }

    mutating func path(of task: TaskView) -> [CriticalPath.Segment] {
        let course = courses.course(of: task)
        time = course.end
        push(task, floor: course.created)
        while let frame = frames.last {
            guard time > frame.floor else {
                active.remove(frame.task.id)
                frames.removeLast()
                continue
            }
            goBack(frame.task, floor: frame.floor)
        }
        segments.reverse()
        return segments
    }

    private mutating func push(_ task: TaskView, floor: UInt64) {
        frames.append((task, floor))
        active.insert(task.id)
    }

    private mutating func goBack(_ task: TaskView, floor: UInt64) {
        let course = courses.course(of: task)
        guard let stretch = course.stretch(before: time) else {
            goBackBeforeCreation(of: task, floor: floor)
            return
        }
        let start = max(stretch.start, floor)
        switch stretch.state {
        case .running: addRun(.running, task, stretch, from: start)
        case .blocked: addRun(.blocked, task, stretch, from: start)
        case .queued: add(.queued, task, stretch, from: start)
        case .pending, .suspended:
            if stretch.end < time { add(.awaiting, task, stretch, from: max(stretch.end, floor)) }
            guard let (cause, until) = cause(of: task, stretch, from: start) else {
                add(.awaiting, task, stretch, from: start)
                return
            }
            if until < time { add(.awaiting, task, stretch, from: until) }
            push(cause, floor: start)
        }
    }

    /// The task that is waited for was created during the wait, so the path continues with the task that created it.
    private mutating func goBackBeforeCreation(of task: TaskView, floor: UInt64) {
        if task.kind.isOfSwift, let creator = task.firstAntecedent.flatMap({ store.task($0) }), !active.contains(creator.id),
            creator.created ?? .max < time
        {
            active.remove(task.id)
            frames.removeLast()
            push(creator, floor: floor)
        } else if frames.count > 1 {
            // What came before, such as the time of a timer, is known only as the wait of the task that this one resumed.
            active.remove(task.id)
            frames.removeLast()
            let waiting = frames[frames.count - 1].task
            guard let wait = courses.course(of: waiting).stretch(before: time) else { return }
            add(.awaiting, waiting, wait, from: floor)
        } else {
            add(.awaiting, task, TaskCourse.Stretch(state: .pending, start: floor, end: time), from: floor)
        }
    }

    /// Adds a run, or its parts if a profile tells when the thread had a processor.
    private mutating func addRun(_ kind: CriticalPath.Segment.Kind, _ task: TaskView, _ stretch: TaskCourse.Stretch, from start: UInt64) {
        var parts: [(kind: CriticalPath.Segment.Kind, start: UInt64)] = []
        stretch.forEachPart(steps, from: start, until: time) { state, start, _ in
            switch state {
            case .onCPU: parts.append((.onCPU, start))
            case .runnable: parts.append((.runnable, start))
            case .waiting: parts.append((.blocked, start))
            case .unknown: parts.append((kind, start))
            }
        }
        if parts.isEmpty { parts = [(kind, start)] }
        for part in parts.reversed() { add(part.kind, task, stretch, from: part.start) }
    }

    private mutating func add(_ kind: CriticalPath.Segment.Kind, _ task: TaskView, _ stretch: TaskCourse.Stretch, from start: UInt64) {
        guard time > start else { return }
        let executor = kind == .awaiting ? .none : stretch.executor != .none ? stretch.executor : task.executor
        segments.append(
            CriticalPath.Segment(
                kind: kind, start: start, end: time, task: task.id, executor: executor, calls: stretch.calls,
                wait: kind == .awaiting ? wait(of: task, stretch) : nil))
        time = start
    }

    // MARK: Causes

    /// The task whose end, or whose run, ended a wait, and the time until which the wait was for it.
    private mutating func cause(of task: TaskView, _ stretch: TaskCourse.Stretch, from start: UInt64) -> (task: TaskView, until: UInt64)? {
        if stretch.awaited != .none, let found = usable(stretch.awaited, from: start) { return found }
        if stretch.state == .suspended, stretch.reason == .group,
            let found = usable(courses.lastGroupChild(of: task, until: stretch.end), from: start)
        {
            return found
        }
        if stretch.waker != .none, let found = usable(stretch.waker, from: start) { return found }
        guard stretch.state == .pending, task.kind == .continuation || task.kind == .join else { return nil }
        var latest: (task: TaskView, until: UInt64)?
        for antecedent in task.antecedents {
            guard let found = usable(antecedent, from: start), found.until > latest?.until ?? 0 else { continue }
            latest = found
        }
        return latest
    }

    private func usable(_ id: TaskID, from start: UInt64) -> (task: TaskView, until: UInt64)? {
        guard !active.contains(id), let task = store.task(id), task.created != nil else { return nil }
        let until = min(task.ended ?? time, time)
        return until > start ? (task, until) : nil
    }

    private func wait(of task: TaskView, _ stretch: TaskCourse.Stretch) -> WaitsFor.Kind? {
        guard stretch.state == .suspended else {
            return switch task.kind {
            case .delay: .timer
            case .source: .source
            case .continuation, .join: .task
            case .root, .asyncLet, .groupChild, .unstructured, .detached, .internal, .block, .main: nil
            }
        }
        return switch stretch.reason {
        case .innerTask, .task: .task
        case .condition: .condition
        case .group: .group
        case .continuation: store.sleeps(in: stretch.calls) ? .timer : .continuation
        case .awaiting: store.sleeps(in: stretch.calls) ? .timer : .call
        case .executor: .executor
        case nil: nil
        }
    }
}
