import Synchronization
import TaskEvents

/// What every ``ChainTask`` is, whatever its value's type. Any thread may use it.
public class AnyChainTask: @unchecked Sendable {
    // The state is behind its lock; the outcome, in the subclass, is written once, before `ending` is released, and only read after.

    let id: TaskID
    private let state = Mutex(TaskStateMachine())
    private let ending = Atomic<Ending>(.none)
    private let isErrorReadOutside = Atomic<Bool>(false)
    private let isErrorRead = Atomic<Bool>(false)

    /// How a task has ended, for those who do not ask for its value.
    enum Ending: UInt8, AtomicRepresentable {
        case none, succeeded, faulted, cancelled
    }

    /// Says so in the trace. `name` is nil for one that is called after `function`.
    init(
        kind: TaskKind, name: String?, or function: StaticString, file: StaticString, line: UInt, executor: ChainExecutor? = nil,
        antecedent: AnyChainTask? = nil
    ) {
        id = TaskCounter.next()
        Emit.created(
            id, kind: kind, label: Emit.label(name: name, or: function, file: file, line: line), executor: executor?.core.id ?? .none,
            antecedent: antecedent?.id ?? .none)
    }

    deinit {
        switch ending.load(ordering: .relaxed) {
        case .none: Emit.released(id)
        case .faulted: if !isErrorRead.load(ordering: .relaxed) { Emit.released(id) }
        case .succeeded, .cancelled: break
        }
        // Handed on without a copy that this frame would be the last to let go of.
        DeferredRelease.release(state.withLock { $0.abandon() })
    }

    // MARK: What it came to

    /// Whether it has ended, in any way.
    public var isCompleted: Bool { currentEnding != .none }

    /// Whether it has failed. Asking this does not read the error.
    public var isFaulted: Bool { currentEnding == .faulted }

    public var isCancelled: Bool { currentEnding == .cancelled }

    /// With acquiring order: what was written before the end is there to be read.
    final var currentEnding: Ending { ending.load(ordering: .acquiring) }

    // MARK: Waiting

    /// Blocks the calling thread until the task has ended. Its continuations may not have run by then.
    ///
    /// A thread that blocks on what only it could run, such as main on a continuation for main, blocks forever.
    @available(*, noasync, message: "await its value instead")
    public func wait() {
        let waiter = Waiter()
        guard state.withLock({ $0.add(waiter) }) else { return }
        let body = ExecutionFrame.current?.pointee.task ?? .none
        Emit.waitBegan(for: id, by: body)
        waiter.wait()
        Emit.waitEnded(for: id, by: body, timedOut: false)
    }

    /// Blocks the calling thread until the task has ended, or for `timeout` at most; false if it has not ended by then.
    @available(*, noasync, message: "await its value instead")
    public func wait(timeout: Duration) -> Bool {
        let waiter = Waiter()
        guard state.withLock({ $0.add(waiter) }) else { return true }
        let body = ExecutionFrame.current?.pointee.task ?? .none
        Emit.waitBegan(for: id, by: body)
        let hasEnded = waiter.wait(timeout: timeout) || isCompleted
        if !hasEnded { state.withLock { $0.remove(waiter) } }
        Emit.waitEnded(for: id, by: body, timedOut: !hasEnded)
        return hasEnded
    }

    // MARK: Its stages

    /// Whether the body may run.
    final func begin() -> Bool {
        state.withLock { $0.begin() }
    }

    final func awaitInner() {
        state.withLock { $0.awaitInner() }
    }

    /// Whether this claimant decides the outcome; if so, it has to ``publish(_:_:)`` it.
    final func claim(by claimant: TaskStateMachine.Claimant) -> Bool {
        state.withLock { $0.claim(by: claimant) }
    }

    /// Makes a decided outcome visible, releases those who wait for it, and puts its continuations on the trampoline.
    /// Only who has claimed the end may call this, once the subclass holds the outcome and the trace knows it.
    final func publish(_ how: Ending, _ trampoline: inout Trampoline) {
        let (continuations, waiters) = state.withLock { state in
            ending.store(how, ordering: .releasing)
            return state.end()
        }
        for waiter in waiters { waiter.wake() }
        trampoline.push(continuations, after: self)
    }

    /// Calls `continuation` when the task has ended: at once, here, if it has.
    final func whenEnded(_ trampoline: inout Trampoline, _ continuation: @escaping Continuation) {
        if !state.withLock({ $0.add(continuation) }) { continuation(self, &trampoline) }
    }

    // MARK: Reading its error

    /// Notes that whoever runs on this thread has seen the task's error.
    final func noteErrorRead(_ error: any Error) {
        isErrorRead.store(true, ordering: .relaxed)
        let read = ErrorRead(task: id, error: error)
        if let frame = ExecutionFrame.current, frame.pointee.task != .none {
            if frame.pointee.note(read) { Emit.errorRead(of: id, by: frame.pointee.task) }
        } else if let body = AsyncBody.current {
            if body.note(read) { Emit.errorRead(of: id, by: body.task) }
        } else if !isErrorReadOutside.exchange(true, ordering: .relaxed) {
            Emit.errorRead(of: id, by: .none)
        }
    }

    /// Notes that a body begins whose argument is the task's error.
    fileprivate final func noteErrorHanded(to reader: TaskID) {
        isErrorRead.store(true, ordering: .relaxed)
        Emit.errorRead(of: id, by: reader)
    }
}

/// A failed task's error, for a continuation that takes it as its argument. Only a body that begins reads it.
struct HandedError {
    let task: AnyChainTask
    let error: any Error

    func read(by reader: TaskID) -> ErrorRead {
        task.noteErrorHanded(to: reader)
        return ErrorRead(task: task.id, error: error)
    }
}

/// Numbers tasks in the order they are made.
private enum TaskCounter {
    private static let last = Atomic<UInt64>(0)

    static func next() -> TaskID {
        TaskID(rawValue: last.add(1, ordering: .relaxed).newValue)
    }
}
