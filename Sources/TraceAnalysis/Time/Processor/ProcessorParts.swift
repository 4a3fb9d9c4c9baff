import TraceStore

/// The times that a task's thread had a processor, and had none though it could run.
struct ProcessorParts {
    private(set) var onCPU: UInt64 = 0
    private(set) var runnable: UInt64 = 0

    /// Nil without a profile, and if a part of the task's runs is unknown.
    init?(of task: TaskView, _ steps: TaskSteps, in store: TraceStore) {
        guard steps.threadTimes != nil else { return nil }
        var (onCPU, runnable, known, ran) = (0 as UInt64, 0 as UInt64, 0 as UInt64, 0 as UInt64)
        for stretch in TaskCourse(of: task, steps, in: store).stretches where stretch.state == .running || stretch.state == .blocked {
            ran += stretch.end - stretch.start
            stretch.forEachPart(steps, from: stretch.start, until: stretch.end) { state, start, end in
                if state != .unknown { known += end - start }
                if state == .onCPU { onCPU += end - start }
                if state == .runnable { runnable += end - start }
            }
        }
        guard known == ran else { return nil }
        (self.onCPU, self.runnable) = (onCPU, runnable)
    }
}

extension TaskCourse.Stretch {
    /// Calls `body` with the parts of a run in which its thread was in one state. Calls it never if the trace has no profile of the thread.
    func forEachPart(_ steps: TaskSteps, from start: UInt64, until end: UInt64, _ body: (ThreadTimes.State, UInt64, UInt64) -> Void) {
        guard let times = steps.threadTimes, let thread = steps.thread(ofLane: lane, at: self.start) else { return }
        times.forEach(of: thread, from: start, until: end, body)
    }
}
