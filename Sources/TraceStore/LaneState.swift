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
}
