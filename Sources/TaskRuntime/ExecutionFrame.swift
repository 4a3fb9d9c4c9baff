import CTraceLanes
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
    /// What the body has looked at; nil for a job.
    private let reads: UnsafeMutablePointer<ErrorReads>?
    /// Whether the body is not running, but being made: by Swift, as a task of its own.
    private(set) var isMaking = false

    static var current: UnsafeMutablePointer<ExecutionFrame>? {
        ThreadSlot.running?.assumingMemoryBound(to: ExecutionFrame.self)
    }

    /// The task whose body the calling thread runs.
    static var currentTask: TaskID {
        current?.pointee.task ?? .none
    }

    /// Runs an executor's job on the calling thread.
    static func job(on executor: ExecutorID, _ job: () -> Void) {
        // A custom executor may run its jobs at once, inside the body that added them.
        var frame = ExecutionFrame(task: .none, executor: executor, level: current?.pointee.level ?? -1, reads: nil)
        frame.enter(job)
    }

    /// Runs a task's body on the calling thread and hands back what it threw; the errors it looks at are added to `reads`.
    static func run(_ task: TaskID, _ reads: inout ErrorReads, _ body: () throws -> Void) -> (any Error)? {
        withUnsafeMutablePointer(to: &reads) { reads in
            let outer = current?.pointee
            var frame = ExecutionFrame(
                task: task, executor: outer?.executor ?? .none, level: (outer?.level ?? -1) + 1, reads: reads)
            var thrown: (any Error)?
            frame.enter {
                do {
                    try body()
                } catch {
                    thrown = error
                }
            }
            return thrown
        }
    }

    /// Makes the Swift task that the task's body is.
    static func making<Result>(for task: TaskID, _ make: () -> Result) -> Result {
        let outer = current
        var frame = ExecutionFrame(
            task: task, executor: outer?.pointee.executor ?? .none, level: outer?.pointee.level ?? -1, reads: nil, isMaking: true)
        return frame.enter(make)
    }

    private mutating func enter<Result>(_ action: () -> Result) -> Result {
        withUnsafeMutablePointer(to: &self) { frame in
            let outer = ThreadSlot.running
            ThreadSlot.running = UnsafeMutableRawPointer(frame)
            let result = action()
            ThreadSlot.running = outer
            return result
        }
    }

    /// The errors that the body has looked at so far.
    var errorsRead: [ErrorRead] { reads?.pointee.all ?? [] }

    /// Whether the body had not read that task's error before.
    func note(_ read: ErrorRead) -> Bool {
        reads?.pointee.note(read) ?? false
    }
}

/// The errors that one body has looked at, in that order.
struct ErrorReads {
    private(set) var all: [ErrorRead]

    /// `handed` is the error that the body takes as its argument.
    init(_ handed: ErrorRead?) {
        all = handed.map { [$0] } ?? []
    }

    /// Whether that task's error had not been read before.
    mutating func note(_ read: ErrorRead) -> Bool {
        guard !all.contains(where: { $0.task == read.task }) else { return false }
        all.append(read)
        return true
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

/// An asynchronous body that is running: it moves from thread to thread, so it is known by the Swift task instead of the thread.
final class AsyncBody: Sendable {
    @TaskLocal static var current: AsyncBody?

    let task: TaskID
    private let noted = Guarded(ErrorReads(nil))

    init(task: TaskID) {
        self.task = task
    }

    var reads: [ErrorRead] { noted.withLock { $0.all } }

    /// Whether the body had not read that task's error before.
    func note(_ read: ErrorRead) -> Bool {
        noted.withLock { $0.note(read) }
    }
}

/// Words of the calling thread's own.
enum ThreadSlot {
    /// What the thread is running.
    static var running: UnsafeMutableRawPointer? {
        get { trace_thread_slots()[0] }
        set { trace_thread_slots()[0] = newValue }
    }

    /// What the thread is taking apart.
    static var releasing: UnsafeMutableRawPointer? {
        get { trace_thread_slots()[1] }
        set { trace_thread_slots()[1] = newValue }
    }
}
