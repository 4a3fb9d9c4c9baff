import TaskEvents

/// Tasks that suspend, or wait in a queue more than once.
extension Fold {
    @inline(__always)
    func hasCourse(_ task: UnsafePointer<TaskRecord>) -> Bool {
        task.pointee.extra >= 0 && extras.reading(task.pointee.extra).pointee.course >= 0
    }

    func course(of task: UnsafePointer<TaskRecord>) -> UnsafePointer<TaskCourse>? {
        hasCourse(task) ? courses.reading(extras.reading(task.pointee.extra).pointee.course) : nil
    }

    /// The same, to change it.
    func mutableCourse(of task: UnsafePointer<TaskRecord>) -> UnsafeMutablePointer<TaskCourse>? {
        hasCourse(task) ? courses.writing(extras.reading(task.pointee.extra).pointee.course) : nil
    }

    /// Adds a step to the task's course, which begins with what the record knows. Returns whether it is the latest.
    @discardableResult
    mutating func step(_ task: UnsafeMutablePointer<TaskRecord>, _ state: TaskState, at time: UInt64) -> Bool {
        let course = courseOrNew(of: task)
        course.pointee.insert(state, at: time)
        return course.pointee.lastTime <= time
    }

    private mutating func courseOrNew(of task: UnsafeMutablePointer<TaskRecord>) -> UnsafeMutablePointer<TaskCourse> {
        let extra = extra(of: task)
        if extra.pointee.course < 0 {
            var course = TaskCourse()
            let started = time(.started, of: task)
            if let queued = time(.queued, of: task) { course.insert(.queued, at: min(queued, started ?? queued)) }
            if let started { course.insert(.running, at: started) }
            extra.pointee.course = courses.insert(course)
        }
        return courses.writing(extra.pointee.course)
    }

    /// Makes the task's state the one that its latest step says. An ended task stays as it is, and a queue holds only who was put there.
    mutating func takeState(fromCourseOf task: UnsafeMutablePointer<TaskRecord>) {
        guard let course = course(of: task), !task.pointee.state.hasEnded else { return }
        let state = course.pointee.state
        guard state != task.pointee.state, state != .queued else { return }
        if task.pointee.state == .queued {
            // It cannot have got there without leaving the queue.
            _ = takeFromQueue(task, at: course.pointee.lastTime)
            task.pointee.marks.insert(.owesStarted)
        }
        change(task, to: state)
    }

    /// Whether a start at that time is the one that is missing of a job that has left its queue: the task has done other things since.
    func isOfEarlierJob(_ time: UInt64, _ task: UnsafePointer<TaskRecord>) -> Bool {
        guard task.pointee.marks.contains(.owesStarted), let course = course(of: task) else { return false }
        return max(course.pointee.lastTime(of: .suspended) ?? 0, course.pointee.lastTime(of: .running) ?? 0) > time
    }

    /// When the task last did anything that its course or its record knows.
    func latestTime(of task: UnsafePointer<TaskRecord>) -> UInt64 {
        course(of: task)?.pointee.lastTime ?? time(.started, of: task) ?? task.pointee.created
    }

    /// Nanoseconds that the task has spent in a state.
    func spent(_ state: TaskState, by task: UnsafePointer<TaskRecord>) -> UInt64 {
        let end = time(.ended, of: task) ?? now
        if let course = course(of: task) { return course.pointee.total(state, until: end) }
        let from: UInt64?
        let until: UInt64
        switch state {
        case .queued:
            from = time(.queued, of: task)
            until = min(time(.started, of: task) ?? end, end)
        case .running:
            from = time(.started, of: task)
            until = end
        case .pending, .suspended, .succeeded, .faulted, .cancelled: return 0
        }
        guard let from, until > from else { return 0 }
        return until - from
    }
}
