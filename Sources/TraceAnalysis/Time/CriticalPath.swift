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
        Self.forEachSegment(of: task, courses) { segments.append($0) }
        segments.reverse()
    }

    /// Calls `body` with the segments of a task's path, the last one first. A path can have millions.
    static func forEachSegment(of task: TaskView, _ courses: TaskCourses, _ body: (Segment) -> Void) {
        withoutActuallyEscaping(body) { body in
            var walk = PathWalk(courses, body)
            walk.follow(task)
        }
    }
}

private struct PathWalk {
    /// A task on the way, which waits for the next one.
    private struct Frame {
        let task: TaskView
        /// The time before which the path belongs to the task before it.
        let floor: UInt64
        let course: TaskCourse
        /// The number of the course's stretches that start before the time.
        var count: Int
    }

    private let store: TraceStore
    private let steps: TaskSteps
    private let courses: TaskCourses
    private let found: (CriticalPath.Segment) -> Void
    private var frames: [Frame] = []
    /// The tasks on the way. A task that waits for one of them would lead the path in a circle.
    private var active: Set<TaskID> = []
    /// The time that the path has been followed back to.
    private var time: UInt64 = 0

    init(_ courses: TaskCourses, _ found: @escaping (CriticalPath.Segment) -> Void) {
        (store, steps, self.courses, self.found) = (courses.store, courses.steps, courses, found)
    }

    mutating func follow(_ task: TaskView) {
        let course = courses.course(of: task)
        time = course.end
        push(task, floor: course.created)
        while let frame = frames.last {
            guard time > frame.floor else {
                pop()
                continue
            }
            goBack(frame)
        }
    }

    private mutating func push(_ task: TaskView, floor: UInt64) {
        let course = courses.course(of: task)
        frames.append(Frame(task: task, floor: floor, course: course, count: course.stretches.count))
        active.insert(task.id)
    }

    private mutating func pop() {
        if let frame = frames.popLast() { active.remove(frame.task.id) }
    }

    /// The last task's stretch just before the time. Nil before the task's creation.
    private mutating func stretch() -> TaskCourse.Stretch? {
        let last = frames.count - 1
        let count = frames[last].course.count(before: time, atMost: frames[last].count)
        frames[last].count = count
        return count > 0 ? frames[last].course.stretches[count - 1] : nil
    }

    private mutating func goBack(_ frame: Frame) {
        let (task, floor) = (frame.task, frame.floor)
        guard let stretch = stretch() else {
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
            pop()
            push(creator, floor: floor)
        } else if frames.count > 1 {
            // What came before, such as the time of a timer, is known only as the wait of the task that this one resumed.
            pop()
            let waiting = frames[frames.count - 1].task
            guard let wait = stretch() else { return }
            add(.awaiting, waiting, wait, from: floor)
        } else {
            add(.awaiting, task, TaskCourse.Stretch(start: floor, end: time, state: .pending), from: floor)
        }
    }

    /// Adds a run, or its parts if a profile tells when the thread had a processor.
    private mutating func addRun(_ kind: CriticalPath.Segment.Kind, _ task: TaskView, _ stretch: TaskCourse.Stretch, from start: UInt64) {
        guard steps.threadTimes != nil else { return add(kind, task, stretch, from: start) }
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
        found(
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
