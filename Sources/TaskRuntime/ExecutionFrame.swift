import CTraceLanes
import TaskEvents

/// The work that a thread is running: an executor's job, or a task's body. Bodies run inside a job, inside another body, or on a thread of
/// no executor.
///
/// Frames live on the stack. The thread's slot points to the innermost one; each frame restores the outer one when it ends.
struct ExecutionFrame {
    /// The task whose body this is; none for a job.
    let task: TaskID
    /// The executor whose job the thread is running.
    let executor: ExecutorID
    /// The number of bodies on the stack outside this one. For a job: the level of the body around it, or -1 without one.
    let level: Int
    /// The errors that the body has read; nil for a job.
    private let reads: UnsafeMutablePointer<ErrorReads>?
    /// Whether the body is not running yet, because its Swift task is being made.
    private(set) var isMaking = false

    static var current: UnsafeMutablePointer<ExecutionFrame>? {
        ThreadSlot.running?.assumingMemoryBound(to: ExecutionFrame.self)
    }

    /// The task whose body the calling thread runs; none outside of bodies.
    static var currentTask: TaskID {
        current?.pointee.task ?? .none
    }

    /// Runs an executor's job on the calling thread.
    static func job(on executor: ExecutorID, _ job: () -> Void) {
        // A custom executor may run a job at once, inside the body that submitted it.
        var frame = ExecutionFrame(task: .none, executor: executor, level: current?.pointee.level ?? -1, reads: nil)
        frame.enter(job)
    }

    /// Runs a task's body on the calling thread and returns the error that it threw. Adds the errors that it reads to `reads`.
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

    /// Makes the Swift task that runs the task's body.
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

    /// The errors that the body has read so far.
    var errorsRead: [ErrorRead] { reads?.pointee.all ?? [] }

    /// Records a read. Returns whether it is the body's first read of that task's error.
    func note(_ read: ErrorRead) -> Bool {
        reads?.pointee.note(read) ?? false
    }
}

/// The errors that one body has read, in that order.
struct ErrorReads {
    private(set) var all: [ErrorRead]

    /// `handed` is the error that the body takes as its argument.
    init(_ handed: ErrorRead?) {
        all = handed.map { [$0] } ?? []
    }

    /// Records a read. Returns whether it is the first read of that task's error.
    mutating func note(_ read: ErrorRead) -> Bool {
        guard !all.contains(where: { $0.task == read.task }) else { return false }
        all.append(read)
        return true
    }
}

/// An error that a body has read, and the task that failed with it.
struct ErrorRead: Sendable {
    let task: TaskID
    let error: any Error

    /// Whether `other` is this error thrown again: the same box, the same object, or a value of the same type and description.
    func isSame(as other: any Error) -> Bool {
        // `as any Error` keeps the box. Without it, the bits would be those of the error inside, of any size.
        if unsafeBitCast(error as any Error, to: UInt.self) == unsafeBitCast(other as any Error, to: UInt.self) { return true }
        guard type(of: error) == type(of: other) else { return false }
        if type(of: error) is AnyClass { return (error as AnyObject) === (other as AnyObject) }
        return String(describing: error) == String(describing: other)
    }
}

/// An asynchronous body that is running. It moves between threads, so its Swift task identifies it instead of a thread.
final class AsyncBody: Sendable {
    @TaskLocal static var current: AsyncBody?

    let task: TaskID
    private let noted = Guarded(ErrorReads(nil))

    init(task: TaskID) {
        self.task = task
    }

    var reads: [ErrorRead] { noted.withLock { $0.all } }

    /// Records a read. Returns whether it is the body's first read of that task's error.
    func note(_ read: ErrorRead) -> Bool {
        noted.withLock { $0.note(read) }
    }
}

/// Pointers that belong to the calling thread.
enum ThreadSlot {
    /// The innermost ``ExecutionFrame``.
    static var running: UnsafeMutableRawPointer? {
        get { trace_thread_slots()[0] }
        set { trace_thread_slots()[0] = newValue }
    }

    /// The followers that ``DeferredRelease`` is releasing.
    static var releasing: UnsafeMutableRawPointer? {
        get { trace_thread_slots()[1] }
        set { trace_thread_slots()[1] = newValue }
    }
}
