import CTraceLanes
import Synchronization
import TaskEvents

/// What every ``ChainTask`` is, whatever its value's type: its stages, its failure and what waits for it. Any thread may use it.
///
/// Only the value is generic, and lives in the subclass; so whatever does not touch a value is compiled once and knows no types.
public class AnyChainTask: @unchecked Sendable {
    // The state is behind its lock. Value and failure are written once, before `ending` is released, and only read after.

    package let id: TaskID
    /// The task that its chain begins with.
    let chain: TaskID
    private let isListed = EventBus.isRecording
    /// Its name and site in the trace; none where nothing was recorded when it was made.
    let label: EntryID
    private let state = Guarded(TaskStateMachine())
    private let ending = Atomic<Ending>(.none)
    private let errorReading = Atomic<ErrorReading>(.unread)
    private var failure: (any Error)?

    /// How a task has ended, for those who do not ask for its value.
    enum Ending: UInt8, AtomicRepresentable {
        case none, succeeded, faulted, cancelled
    }

    /// Who has looked at a task's error.
    private enum ErrorReading: UInt8, AtomicRepresentable {
        case unread
        /// Only bodies, which the trace names.
        case byBodies
        /// Somebody outside of every body, which the trace says once.
        case outside
    }

    /// A root with a body, for code that is specialised elsewhere.
    @usableFromInline
    init(rootOn executor: ChainExecutor, _ name: String?, _ file: StaticString, _ line: UInt, _ function: StaticString) {
        id = TaskCounter.next()
        chain = id
        label = Emit.label(name: name, or: function, file: file, line: line)
        if isListed { TaskDirectory.shared.add(self) }
        Emit.created(id, kind: .root, label: label, executor: executor.core.id)
    }

    /// A continuation, for code that is specialised elsewhere.
    @usableFromInline
    init(
        after antecedent: AnyChainTask, on executor: ChainExecutor, _ name: String?, _ file: StaticString, _ line: UInt,
        _ function: StaticString
    ) {
        id = TaskCounter.next()
        chain = antecedent.chain
        label = Emit.label(name: name, or: function, file: file, line: line)
        if isListed { TaskDirectory.shared.add(self) }
        Emit.created(id, kind: .continuation, label: label, executor: executor.core.id, antecedent: antecedent.id)
    }

    /// A new task, which the trace hears of. It is called `name`, or without one after `function`.
    init(
        kind: TaskKind, name: String?, or function: StaticString, file: StaticString, line: UInt, antecedent: AnyChainTask? = nil
    ) {
        id = TaskCounter.next()
        chain = id
        label = Emit.label(name: name, or: function, file: file, line: line)
        if isListed { TaskDirectory.shared.add(self) }
        Emit.created(id, kind: kind, label: label, antecedent: antecedent?.id ?? .none)
    }

    deinit {
        switch ending.load(ordering: .relaxed) {
        case .none: Emit.released(id)
        case .faulted: if errorReading.load(ordering: .relaxed) == .unread { Emit.released(id) }
        case .succeeded, .cancelled: break
        }
        if isListed { TaskDirectory.shared.remove(self) }
        TaskCounter.noteReleased()
        // Handed on without a copy that this frame would be the last to let go of.
        DeferredRelease.release(state.withLock { $0.abandon() })
    }

    /// Takes the value of an ended task of the same type.
    func adoptValue(of other: AnyChainTask) {
        preconditionFailure("a task without a value cannot take one")
    }

    /// How many tasks there are, ended ones that somebody still holds included. Exact where no other thread makes or releases one.
    package static var liveCount: Int { TaskCounter.liveCount }

    // MARK: What it came to

    /// Whether it has ended, in any way.
    public final var isCompleted: Bool { currentEnding != .none }

    /// Whether it has failed. Asking this does not read the error.
    public final var isFaulted: Bool { currentEnding == .faulted }

    public final var isCancelled: Bool { currentEnding == .cancelled }

    /// Its error, which counts as read from then on; nil unless it has failed.
    public final var error: (any Error)? {
        guard let error = unreadError else { return nil }
        noteErrorRead(error)
        return error
    }

    /// With acquiring order: what was written before the end is there to be read.
    final var currentEnding: Ending { ending.load(ordering: .acquiring) }

    /// The error for the runtime's and its dialects' own use, which does not read it.
    package final var unreadError: (any Error)? {
        currentEnding == .faulted ? failure : nil
    }

    // MARK: Waiting for it

    /// Blocks the calling thread until the task has ended. Its continuations may not have run by then.
    ///
    /// A thread that blocks on what only it could run, such as main on a continuation for main, blocks forever.
    @available(*, noasync, message: "await its value instead")
    public final func wait() {
        let waiter = Waiter()
        guard state.withLock({ $0.add(waiter) }) else { return }
        let body = ExecutionFrame.currentTask
        Emit.waitBegan(for: id, by: body)
        waiter.wait()
        Emit.waitEnded(for: id, by: body, timedOut: false)
    }

    /// Blocks the calling thread until the task has ended, or for `timeout` at most; false if it has not ended by then.
    @available(*, noasync, message: "await its value instead")
    public final func wait(timeout: Duration) -> Bool {
        let waiter = Waiter()
        guard state.withLock({ $0.add(waiter) }) else { return true }
        let body = ExecutionFrame.currentTask
        Emit.waitBegan(for: id, by: body)
        let hasEnded = waiter.wait(timeout: timeout) || isCompleted
        if !hasEnded { state.withLock { $0.remove(waiter) } }
        Emit.waitEnded(for: id, by: body, timedOut: !hasEnded)
        return hasEnded
    }

    /// Calls `continuation` when the task has ended: at once, here, if it has.
    final func whenEnded(_ trampoline: inout Trampoline, _ continuation: @escaping Continuation) {
        if !state.withLock({ $0.add(continuation) }) { continuation(self, &trampoline) }
    }

    /// Calls `action` when the task has ended, here and now if it has. It is no continuation and leaves nothing in the trace.
    package final func onEnd(_ action: @escaping @Sendable () -> Void) {
        Trampoline.run { whenEnded(&$0) { _, _ in action() } }
    }

    // MARK: Its stages

    /// Whether the body may run.
    final func begin() -> Bool {
        state.withLock { $0.begin() }
    }

    final func awaitInner() {
        state.withLock { $0.awaitInner() }
    }

    /// Whether this claimant decides the outcome; if so, it has to say what it is.
    final func claim(by claimant: TaskStateMachine.Claimant = .owner) -> Bool {
        state.withLock { $0.claim(by: claimant) }
    }

    /// Whether somebody at an inspector has ended it, which its source could not know.
    package final var isOverruled: Bool {
        state.withLock { $0.isOverruled }
    }

    // MARK: Its end, for who has claimed it

    /// The subclass holds the value.
    final func succeed(_ cause: EndCause, _ trampoline: inout Trampoline) {
        Emit.completed(id, site: cause.site)
        publish(.succeeded, &trampoline)
    }

    final func fault(with error: any Error, _ cause: EndCause, _ trampoline: inout Trampoline) {
        failure = error
        Gatekeeper.noteFault()
        Emit.faulted(id, error: Emit.error(error), cause.faultManner, from: cause.source)
        publish(.faulted, &trampoline)
    }

    final func cancel(_ cause: EndCause, _ trampoline: inout Trampoline) {
        Emit.cancelled(id, cause.cancellationManner, by: cause.source)
        publish(.cancelled, &trampoline)
    }

    /// Makes the outcome visible, which the trace knows by now, releases those who wait, and puts the continuations on the trampoline.
    private func publish(_ how: Ending, _ trampoline: inout Trampoline) {
        let (continuations, waiters) = state.withLock { state in
            ending.store(how, ordering: .releasing)
            return state.end()
        }
        for waiter in waiters { waiter.wake() }
        trampoline.push(continuations, after: self)
    }

    // MARK: Reading its error

    /// Notes that whoever runs on this thread has seen the task's error.
    final func noteErrorRead(_ error: any Error) {
        let read = ErrorRead(task: id, error: error)
        if let frame = ExecutionFrame.current, frame.pointee.task != .none {
            noteReadByBody()
            if frame.pointee.note(read) { Emit.errorRead(of: id, by: frame.pointee.task) }
        } else if let body = AsyncBody.current {
            noteReadByBody()
            if body.note(read) { Emit.errorRead(of: id, by: body.task) }
        } else if errorReading.exchange(.outside, ordering: .relaxed) != .outside {
            Emit.errorRead(of: id, by: .none)
        }
    }

    /// Notes that a body begins whose argument is the task's error.
    final func handError(to reader: TaskID) -> ErrorRead? {
        guard let error = unreadError else { return nil }
        noteReadByBody()
        Emit.errorRead(of: id, by: reader)
        return ErrorRead(task: id, error: error)
    }

    private func noteReadByBody() {
        _ = errorReading.compareExchange(expected: .unread, desired: .byBodies, ordering: .relaxed)
    }
}

/// Numbers tasks in the order they are made, and counts those that are gone.
private enum TaskCounter {
    private static let last = Atomic<UInt64>(0)
    private static let released = Atomic<UInt64>(0)

    static var liveCount: Int {
        // In this order: what is released was made before.
        let released = released.load(ordering: .acquiring)
        return Int(last.load(ordering: .relaxed) - released)
    }

    static func next() -> TaskID {
        TaskID(rawValue: last.add(1, ordering: .relaxed).newValue * trace_task_stride())
    }

    static func noteReleased() {
        released.add(1, ordering: .releasing)
    }
}
