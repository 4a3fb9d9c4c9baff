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
        var since: UInt64
        var executor: UInt16
        /// Taken from a queue, and so ended by `jobEnded`; otherwise an inline body, which its outcome ends.
        var isJob: Bool
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
