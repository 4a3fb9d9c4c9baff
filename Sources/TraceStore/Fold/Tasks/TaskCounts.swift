/// Counts of tasks, which include evicted ones. Blocks, and the tasks that a runtime made for itself, are counted apart.
struct TaskCounts {
    var seen = 0
    var evicted = 0
    /// The tasks that a runtime made for itself.
    var `internal` = 0
    /// The tasks that were seen without their creation, and those among them that were there before the probe was loaded.
    var synthesised = 0
    var adopted = 0
    var seenBlocks = 0
    var evictedBlocks = 0
    /// By ``TaskState``; those of blocks begin at ``blockStates``.
    var byState: [16 of Int] = .init(repeating: 0)

    static var blockStates: Int { 8 }

    @inline(__always)
    static func index(of state: TaskState, _ id: UInt64) -> Int {
        Int(state.rawValue) &+ (IDMap.isBlock(id) ? blockStates : 0)
    }

    @inline(__always)
    mutating func move(_ id: UInt64, from old: TaskState, to new: TaskState) {
        let first = IDMap.isBlock(id) ? Self.blockStates : 0
        byState[first &+ Int(old.rawValue)] &-= 1
        byState[first &+ Int(new.rawValue)] &+= 1
    }
}
