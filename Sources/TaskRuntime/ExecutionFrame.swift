import TaskEvents

/// What a thread is running: an executor's job, or a body inside one, inside another body, or on a thread of no executor.
///
/// Frames live on the stack and form a list from the innermost outwards; the thread's slot points to the first.
struct ExecutionFrame {
    /// The task whose body it is; none for a job.
    let task: TaskID
    /// The executor whose job the thread is running.
    let executor: ExecutorID
    /// How many bodies stand on the stack outside of this one; for a job, of the body that it would be in, so -1 where there is none.
    let level: Int
    /// The errors that the body has looked at, in that order.
    private(set) var reads: [ErrorRead] = []

    static var current: UnsafeMutablePointer<ExecutionFrame>? {
        ThreadSlot.running?.assumingMemoryBound(to: ExecutionFrame.self)
    }

    /// Runs an executor's job on the calling thread.
    static func job(on executor: ExecutorID, _ job: () -> Void) {
        // A custom executor may run its jobs at once, inside the body that added them.
        var frame = ExecutionFrame(task: .none, executor: executor, level: current?.pointee.level ?? -1)
        frame.enter(job)
    }

    /// Runs a task's body on the calling thread, and hands back what it came to and which errors it read.
    static func body<Result>(of task: TaskID, handed: ErrorRead?, _ body: () throws -> Result) -> (Swift.Result<Result, any Error>, [ErrorRead]) {
        let outer = current
        var frame = ExecutionFrame(
            task: task, executor: outer?.pointee.executor ?? .none, level: outer.map { $0.pointee.level + 1 } ?? 0)
        if let handed { frame.note(handed) }
        let result = frame.enter { Swift.Result { try body() } }
        return (result, frame.reads)
    }

    private mutating func enter<Result>(_ action: () -> Result) -> Result {
        withUnsafeMutablePointer(to: &self) { frame in
            let outer = ThreadSlot.running
            ThreadSlot.running = UnsafeMutableRawPointer(frame)
            defer { ThreadSlot.running = outer }
            return action()
        }
    }

    /// Whether the body had not read that task's error before.
    @discardableResult
    mutating func note(_ read: ErrorRead) -> Bool {
        guard !reads.contains(where: { $0.task == read.task }) else { return false }
        reads.append(read)
        return true
    }

    private init(task: TaskID, executor: ExecutorID, level: Int) {
        self.task = task
        self.executor = executor
        self.level = level
    }
}

/// An error that a body has seen, and whose it was.
struct ErrorRead: Sendable {
    let task: TaskID
    let error: any Error

    /// Whether throwing `other` is throwing this one again: the same box, the same object, or, of values, one that says the same.
    func isSame(as other: any Error) -> Bool {
        // `as any Error` keeps the box: without it the bits would be those of the error inside, of any size.
        if unsafeBitCast(error as any Error, to: UInt.self) == unsafeBitCast(other as any Error, to: UInt.self) { return true }
        guard type(of: error) == type(of: other) else { return false }
        if type(of: error) is AnyClass { return (error as AnyObject) === (other as AnyObject) }
        return String(describing: error) == String(describing: other)
    }
}
