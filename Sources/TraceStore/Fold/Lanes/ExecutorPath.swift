import TaskEvents

/// How often a body that hops without waiting came to each of its first few executors, less how often it left it.
struct ExecutorPath {
    /// The time on an executor that the body left, to come to `next` without an actor of its own.
    struct Stay {
        var executor: UInt16
        var next: UInt16
        var nanoseconds: UInt64
    }

    /// The body: its task and the time of its beginning.
    let task: UInt64
    let began: UInt64
    private var executors: [4 of UInt16] = .init(repeating: 0)
    private var counts: [4 of Int32] = .init(repeating: 0)
    /// The latest one. Only the body's last executor shows whether the body arrived, or had to wait and has not left.
    private var latest: Stay?

    /// A body before its first hop.
    init(of task: UInt64, at began: UInt64, on executor: UInt16) {
        self.task = task
        self.began = began
        change(executor, by: 1)
    }

    /// - Parameter hasLeft: false if the body is known to have arrived.
    mutating func add(_ hops: InlineHops, to next: UInt16, hasLeft: Bool, nanoseconds: UInt64) {
        let from = hops.from.rawValue
        change(from, by: -Int32(clamping: hops.count))
        change(next, by: Int32(clamping: hops.count))
        if hasLeft { latest = Stay(executor: from, next: next, nanoseconds: nanoseconds / hops.count) }
    }

    /// The stay of a body that has ended on `executor`, if it had to wait for the next one instead of taking it at once.
    func stay(on executor: UInt16) -> Stay? {
        guard let latest, latest.executor == executor, count(of: latest.next) == 1, count(of: executor) == 0 else { return nil }
        return latest
    }

    private func count(of executor: UInt16) -> Int32 {
        for index in 0..<4 where executors[index] == executor { return counts[index] }
        return 0
    }

    private mutating func change(_ executor: UInt16, by count: Int32) {
        for index in 0..<4 where executors[index] == executor || executors[index] == 0 {
            executors[index] = executor
            counts[index] &+= count
            return
        }
    }
}
