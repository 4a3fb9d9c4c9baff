/// What runs on one thread.
struct LaneState {
    /// The kernel's id of the thread that has the lane.
    var thread: UInt64 = 0
    /// Almost always all that runs there, so that it has a place of its own.
    private var innermost: Frame?
    /// Those that it runs in, the outermost first.
    private var outer: [Frame] = []

    struct Frame {
        var task: UInt64
        var began: UInt64
        /// The executor that it is on, and since when; of a slice that takes free actors, as far as the trace has told.
        var executor: UInt16
        var since: UInt64
        /// Nanoseconds of it that executors have been given.
        var told: UInt64 = 0
        /// Taken from a queue, and so ended by `jobEnded`; otherwise an inline body, which its outcome ends.
        var isJob: Bool

        init(task: UInt64, at time: UInt64, on executor: UInt16, isJob: Bool) {
            self.task = task
            self.executor = executor
            self.isJob = isJob
            began = time
            since = time
        }
    }

    /// The innermost last.
    var frames: [Frame] { outer + [innermost].compactMap(\.self) }

    @inline(__always)
    mutating func begin(_ frame: Frame) {
        if let innermost { outer.append(innermost) }
        innermost = frame
    }

    /// Ends a job, the innermost of those that match.
    @inline(__always)
    mutating func takeJob(of task: UInt64, on executor: UInt16) -> Frame? {
        take { $0.isJob && $0.task == task && $0.executor == executor }
    }

    /// Ends a body that runs inline.
    @inline(__always)
    mutating func takeInline(_ task: UInt64) -> Frame? {
        take { !$0.isJob && $0.task == task }
    }

    /// The task's slice goes on to an executor; at most so many nanoseconds of it, which were not told before, belong to the one that it leaves.
    /// Returns the frame as it was, and how many they are.
    mutating func move(_ task: UInt64, to executor: UInt16, at time: UInt64, told: UInt64) -> (before: Frame, told: UInt64)? {
        guard var frame = innermost, !frame.isJob, frame.task == task else { return nil }
        let before = frame
        let elapsed = time > frame.began ? time - frame.began : 0
        let told = min(told, elapsed > frame.told ? elapsed - frame.told : 0)
        frame.told += told
        frame.executor = executor
        frame.since = max(time, frame.since)
        innermost = frame
        return (before, told)
    }

    mutating func endAll() {
        innermost = nil
        outer = []
    }

    @inline(__always)
    private mutating func take(_ isMeant: (Frame) -> Bool) -> Frame? {
        guard let last = innermost else { return nil }
        if isMeant(last) {
            innermost = outer.isEmpty ? nil : outer.removeLast()
            return last
        }
        return outer.isEmpty ? nil : outer.lastIndex(where: isMeant).map { outer.remove(at: $0) }
    }
}
