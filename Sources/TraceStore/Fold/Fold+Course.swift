import TaskEvents

/// The courses of tasks that suspend, or that wait in a queue more than once.
extension Fold {
    /// The course's index in ``courses``; -1 if the task has no course; less than -1 if its course is settled.
    @inline(__always)
    private func coursePlace(of task: UnsafePointer<TaskRecord>) -> Int32 {
        let extra = task.pointee.extra
        return extra < 0 ? extra : extras.reading(extra).pointee.course
    }

    @inline(__always)
    func hasCourse(_ task: UnsafePointer<TaskRecord>) -> Bool {
        coursePlace(of: task) != -1
    }

    /// Nil if the task has no course, or a settled one.
    @inline(__always)
    func course(of task: UnsafePointer<TaskRecord>) -> UnsafePointer<TaskCourse>? {
        let place = coursePlace(of: task)
        return place >= 0 ? courses.reading(place) : nil
    }

    private func settledCourse(of task: UnsafePointer<TaskRecord>) -> TaskCourse? {
        let place = coursePlace(of: task)
        return place < -1 ? settled.reading(Self.settledIndex(place)).pointee.course(since: task.pointee.created) : nil
    }

    /// The course, ready to be changed.
    mutating func mutableCourse(of task: UnsafeMutablePointer<TaskRecord>) -> UnsafeMutablePointer<TaskCourse>? {
        unsettle(task)
        let place = coursePlace(of: task)
        return place >= 0 ? courses.writing(place) : nil
    }

    /// Adds a step to the task's course. A new course begins with the times in the task's record. Returns whether the step is the latest.
    @discardableResult
    mutating func step(_ task: UnsafeMutablePointer<TaskRecord>, _ state: TaskState, at time: UInt64) -> Bool {
        let place = coursePlace(of: task)
        let course = place >= 0 ? courses.writing(place) : makeCourse(of: task)
        course.pointee.insert(state, at: time)
        return course.pointee.lastTime <= time
    }

    /// Unsettles the task's settled course, or creates a new one.
    @inline(never)
    private mutating func makeCourse(of task: UnsafeMutablePointer<TaskRecord>) -> UnsafeMutablePointer<TaskCourse> {
        if let course = mutableCourse(of: task) { return course }
        let (index, course) = courses.add(TaskCourse())
        extra(of: task).pointee.course = index
        let started = time(.started, of: task)
        if let queued = time(.queued, of: task) { course.pointee.insert(.queued, at: min(queued, started ?? queued)) }
        if let started { course.pointee.insert(.running, at: started) }
        return course
    }

    /// Adds a step to the task's course, and sets the task's state to that of its latest step. Returns whether the step is the latest.
    @discardableResult
    mutating func enter(_ state: TaskState, _ task: UnsafeMutablePointer<TaskRecord>, at time: UInt64) -> Bool {
        let isLatest = step(task, state, at: time)
        if isLatest {
            take(state, of: task, at: time)
        } else if let course = course(of: task) {
            take(course.pointee.state, of: task, at: course.pointee.lastTime)
        }
        return isLatest
    }

    /// An ended task does not change, and only ``putInQueue(_:_:executor:since:)`` makes a task queued.
    @inline(__always)
    private mutating func take(_ state: TaskState, of task: UnsafeMutablePointer<TaskRecord>, at time: UInt64) {
        guard state != task.pointee.state, state != .queued, !task.pointee.state.hasEnded else { return }
        if task.pointee.state == .queued {
            // The task can reach this state only by leaving the queue.
            _ = takeFromQueue(task, at: time)
            task.pointee.marks.insert(.owesStarted)
        }
        change(task, to: state)
    }

    /// Whether a start at `time` is the missing start of an earlier job: the job has left its queue, and the task has run or suspended
    /// since then.
    func isOfEarlierJob(_ time: UInt64, _ task: UnsafePointer<TaskRecord>) -> Bool {
        guard task.pointee.marks.contains(.owesStarted), let course = course(of: task)?.pointee ?? settledCourse(of: task) else {
            return false
        }
        return max(course.lastTime(of: .suspended) ?? 0, course.lastTime(of: .running) ?? 0) > time
    }

    /// Nanoseconds that the task has spent in `state`.
    func spent(_ state: TaskState, by task: UnsafePointer<TaskRecord>) -> UInt64 {
        let end = time(.ended, of: task) ?? now
        if let course = course(of: task)?.pointee ?? settledCourse(of: task) { return course.total(state, until: end) }
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

    // MARK: Settling

    private static func settledIndex(_ place: Int32) -> Int32 { -2 - place }

    /// Compresses or frees the additional records of an ended task.
    mutating func settle(_ task: UnsafeMutablePointer<TaskRecord>) {
        guard task.pointee.extra >= 0 else { return }
        let extra = extras.writing(task.pointee.extra)
        if extra.pointee.course >= 0,
            let course = SettledCourse(courses.reading(extra.pointee.course).pointee, since: task.pointee.created)
        {
            courses.remove(extra.pointee.course)
            extra.pointee.course = -2 - settled.insert(course)
        }
        guard extra.pointee.course < 0, extra.pointee.saysNothing, !task.pointee.hasLongTime else { return }
        let course = extra.pointee.course
        extras.remove(task.pointee.extra)
        task.pointee.extra = course
    }

    /// Restores a settled course. It must be called before the course or its base time changes.
    @inline(__always)
    mutating func unsettle(_ task: UnsafeMutablePointer<TaskRecord>) {
        if coursePlace(of: task) < -1 { unsettleCourse(of: task) }
    }

    private mutating func unsettleCourse(of task: UnsafeMutablePointer<TaskRecord>) {
        guard let course = settledCourse(of: task) else { return }
        settled.remove(Self.settledIndex(coursePlace(of: task)))
        extra(of: task).pointee.course = courses.insert(course)
    }

    /// Frees the course at `place`.
    mutating func freeCourse(_ place: Int32) {
        if place >= 0 { courses.remove(place) } else if place < -1 { settled.remove(Self.settledIndex(place)) }
    }
}
