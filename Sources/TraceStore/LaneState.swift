/// What runs on one thread, the innermost last.
struct LaneState {
    /// The kernel's id of the thread that has the lane.
    var thread: UInt64 = 0
    var frames: [Frame] = []

    struct Frame {
        var task: UInt64
        var since: UInt64
        var executor: UInt16
        /// Taken from a queue, and so ended by `jobEnded`; otherwise an inline body, which its outcome ends.
        var isJob: Bool
    }

    /// Ends a job, the innermost of those that match.
    mutating func takeJob(of task: UInt64, on executor: UInt16) -> Frame? {
        take { $0.isJob && $0.task == task && $0.executor == executor }
    }

    /// Ends a body that runs inline.
    mutating func takeInline(_ task: UInt64) -> Frame? {
        take { !$0.isJob && $0.task == task }
    }

    @inline(__always)
    private mutating func take(_ isMeant: (Frame) -> Bool) -> Frame? {
        guard let last = frames.last else { return nil }
        // Almost always the innermost.
        if isMeant(last) { return frames.removeLast() }
        return frames.lastIndex(where: isMeant).map { frames.remove(at: $0) }
    }
}
