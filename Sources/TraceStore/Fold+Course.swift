import TaskEvents

/// Tasks that suspend, or wait in a queue more than once.
extension Fold {
    /// Where the task's course is: its place in ``courses``, -1 if it has none, and less than that once it is settled.
    @inline(__always)
    private func coursePlace(of task: UnsafePointer<TaskRecord>) -> Int32 {
        let extra = task.pointee.extra
        return extra < 0 ? extra : extras.reading(extra).pointee.course
    }

    @inline(__always)
    func hasCourse(_ task: UnsafePointer<TaskRecord>) -> Bool {
        coursePlace(of: task) != -1
    }

    /// Nil as well once it is settled.
    @inline(__always)
    func course(of task: UnsafePointer<TaskRecord>) -> UnsafePointer<TaskCourse>? {
        let place = coursePlace(of: task)
        return place >= 0 ? courses.reading(place) : nil
    }

    private func settledCourse(of task: UnsafePointer<TaskRecord>) -> TaskCourse? {
        let place = coursePlace(of: task)
        return place < -1 ? settled.reading(Self.settledIndex(place)).pointee.course(since: task.pointee.created) : nil
    }

    /// To change it.
    mutating func mutableCourse(of task: UnsafeMutablePointer<TaskRecord>) -> UnsafeMutablePointer<TaskCourse>? {
        unsettle(task)
        let place = coursePlace(of: task)
        return place >= 0 ? courses.writing(place) : nil
    }

    /// Adds a step to the task's course, which begins with what the record knows. Returns whether it is the latest.
    @discardableResult
    mutating func step(_ task: UnsafeMutablePointer<TaskRecord>, _ state: TaskState, at time: UInt64) -> Bool {
        let place = coursePlace(of: task)
        let course = place >= 0 ? courses.writing(place) : makeCourse(of: task)
        course.pointee.insert(state, at: time)
        return course.pointee.lastTime <= time
    }

    /// The settled one again, or a new one.
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

    /// Makes the task's state the one that its latest step says. An ended task stays as it is, and a queue holds only tasks put there.
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
        guard task.pointee.marks.contains(.owesStarted), let course = course(of: task)?.pointee ?? settledCourse(of: task) else {
            return false
        }
        return max(course.lastTime(of: .suspended) ?? 0, course.lastTime(of: .running) ?? 0) > time
    }

    /// When the task last did anything that its course or its record knows.
    func latestTime(of task: UnsafePointer<TaskRecord>) -> UInt64 {
        course(of: task)?.pointee.lastTime ?? settledCourse(of: task)?.lastTime ?? time(.started, of: task) ?? task.pointee.created
    }

    /// Nanoseconds that the task has spent in a state.
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

    /// The task has ended: what it keeps besides its record is made small, or given back.
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

    /// Makes a settled course what it was, before it or what its times count from changes.
    @inline(__always)
    mutating func unsettle(_ task: UnsafeMutablePointer<TaskRecord>) {
        if coursePlace(of: task) < -1 { unsettleCourse(of: task) }
    }

    private mutating func unsettleCourse(of task: UnsafeMutablePointer<TaskRecord>) {
        guard let course = settledCourse(of: task) else { return }
        settled.remove(Self.settledIndex(coursePlace(of: task)))
        extra(of: task).pointee.course = courses.insert(course)
    }

    /// Gives a course back, by its place.
    mutating func freeCourse(_ place: Int32) {
        if place >= 0 { courses.remove(place) } else if place < -1 { settled.remove(Self.settledIndex(place)) }
    }
}
