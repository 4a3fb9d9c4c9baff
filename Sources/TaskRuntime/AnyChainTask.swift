import CTraceLanes
import Synchronization
import TaskEvents

/// What every ``ChainTask`` is, whatever its value's type: its stages, its failure and what waits for it. Any thread may use it.
///
/// Only the value is generic, and lives in the subclass; so whatever does not touch a value is compiled once and knows no types.
public class AnyChainTask: @unchecked Sendable {
    // Value and failure are written once, before the end is released, and only read after. The order of the fields leaves no gaps: with an
    // `Int` a task takes 81 bytes.

    package let id: TaskID
    /// The task that its chain begins with.
    let chain: TaskID
    /// Who looks at them holds the lock; but for a task that is going, which nobody else sees.
    @exclusivity(unchecked) private var followers = Followers()
    @exclusivity(unchecked) private var failure: (any Error)?
    private let lock = Guarded(())
    private let state = TaskStateMachine()
    private let errorReading = Atomic<ErrorReading>(.unread)
    private let isListed = EventBus.isRecording

    /// How a task has ended, for those who do not ask for its value.
    enum Ending {
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
    init(rootOn executor: ChainExecutor, _ name: String?, _ fileID: StaticString, _ line: UInt, _ function: StaticString) {
        id = TaskCounter.next()
        chain = id
        let label = list(Emit.label(name: name, or: function, fileID: fileID, line: line))
        Emit.created(id, kind: .root, label: label, executor: executor.core.id)
    }

    /// A continuation, for code that is specialised elsewhere.
    @usableFromInline
    init(
        after antecedent: AnyChainTask, on executor: ChainExecutor, _ name: String?, _ fileID: StaticString, _ line: UInt,
        _ function: StaticString
    ) {
        id = TaskCounter.next()
        chain = antecedent.chain
        let label = list(Emit.label(name: name, or: function, fileID: fileID, line: line))
        Emit.created(id, kind: .continuation, label: label, executor: executor.core.id, antecedent: antecedent.id)
    }

    /// A new task, which the trace hears of. It is called `name`, or without one after `function`.
    init(
        kind: TaskKind, name: String?, or function: StaticString, fileID: StaticString, line: UInt, antecedent: AnyChainTask? = nil
    ) {
        id = TaskCounter.next()
        chain = id
        let label = list(Emit.label(name: name, or: function, fileID: fileID, line: line))
        Emit.created(id, kind: kind, label: label, antecedent: antecedent?.id ?? .none)
    }

    /// Puts the task into the directory, with what it is called, where anybody could ask for it. Returns what it is called.
    private func list(_ label: EntryID) -> EntryID {
        if isListed { TaskDirectory.shared.add(self, called: label) }
        return label
    }

    deinit {
        switch currentEnding {
        case .none: Emit.released(id)
        case .faulted: if errorReading.load(ordering: .relaxed) == .unread { Emit.released(id) }
        case .succeeded, .cancelled: break
        }
        if isListed { TaskDirectory.shared.remove(self) }
        TaskCounter.noteReleased()
        // Handed on without a copy that this frame would be the last to let go of.
        DeferredRelease.release(followers.take())
    }

    /// Takes the value of an ended task of the same type.
    func adoptValue(of other: AnyChainTask) {
        preconditionFailure("a task without a value cannot take one")
    }

    /// How many tasks there are, ended ones that somebody still holds included. Exact where no other thread makes or releases one.
    package static var liveCount: Int { TaskCounter.liveCount }

    // MARK: What it came to

    /// Whether it has ended, in any way.
    public final var isCompleted: Bool { state.stage.hasEnded }

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
    final var currentEnding: Ending {
        switch state.stage {
        case .waiting, .running, .awaitingInner, .ending: .none
        case .succeeded: .succeeded
        case .faulted: .faulted
        case .cancelled: .cancelled
        }
    }

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
        guard (whilePending { $0.add(waiter) }) else { return }
        let body = ExecutionFrame.currentTask
        Emit.waitBegan(for: id, by: body)
        waiter.wait()
        Emit.waitEnded(for: id, by: body, timedOut: false)
    }

    /// Blocks the calling thread until the task has ended, or for `timeout` at most; false if it has not ended by then.
    @available(*, noasync, message: "await its value instead")
    public final func wait(timeout: Duration) -> Bool {
        let waiter = Waiter()
        guard (whilePending { $0.add(waiter) }) else { return true }
        let body = ExecutionFrame.currentTask
        Emit.waitBegan(for: id, by: body)
        let hasEnded = waiter.wait(timeout: timeout) || isCompleted
        if !hasEnded { whilePending { $0.remove(waiter) } }
        Emit.waitEnded(for: id, by: body, timedOut: !hasEnded)
        return hasEnded
    }

    /// Calls `continuation` when the task has ended: at once, here, if it has.
    @usableFromInline
    final func whenEnded(_ continuation: @escaping Continuation) {
        if !(whilePending { $0.add(continuation) }) { Trampoline.run { $0.call(continuation, after: self) } }
    }

    /// Likewise, for who is on a trampoline.
    final func whenEnded(_ trampoline: inout Trampoline, _ continuation: @escaping Continuation) {
        if !(whilePending { $0.add(continuation) }) { trampoline.call(continuation, after: self) }
    }

    /// Calls `continuation` when the task has ended; false if it has ended already: then it is not called.
    final func addIfPending(_ continuation: @escaping Continuation) -> Bool {
        whilePending { $0.add(continuation) }
    }

    /// Calls `action` when the task has ended, here and now if it has. It is no continuation and leaves nothing in the trace.
    package final func onEnd(_ action: @escaping @Sendable () -> Void) {
        whenEnded { _, _, _ in
            action()
            return .over
        }
    }

    /// Changes what waits for the end. False if the task has ended: then there is nothing to wait for.
    @discardableResult
    private func whilePending(_ change: (inout Followers) -> Void) -> Bool {
        lock.withLock { _ in
            guard !state.stage.hasEnded else { return false }
            change(&followers)
            return true
        }
    }

    // MARK: Its stages

    /// Whether the body may run.
    final func begin() -> Bool { state.begin() }

    final func awaitInner() { state.awaitInner() }

    /// Whether this claimant decides the outcome; if so, it has to say what it is.
    final func claim(by claimant: TaskStateMachine.Claimant = .owner) -> Bool { state.claim(by: claimant) }

    /// Likewise, for the only one who can end a task whose body is running: who runs it.
    final func claimAfterBody() { state.claimAfterBody() }

    /// Whether somebody at an inspector has ended it, which its source could not know.
    package final var isOverruled: Bool { state.isOverruled }

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
    private func publish(_ stage: TaskStateMachine.Stage, _ trampoline: inout Trampoline) {
        let released = lock.withLock { _ in
            state.end(as: stage)
            return followers.take()
        }
        guard !released.isEmpty else { return }
        for waiter in released.waiters { waiter.wake() }
        trampoline.push(released, after: self)
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

    /// Notes that a Swift task which awaited the task is about to throw its error.
    final func noteErrorThrown(_ error: any Error) {
        guard AsyncBody.current == nil, let reader = SwiftTask.current else { return noteErrorRead(error) }
        noteReadByBody()
        Emit.errorRead(of: id, by: reader)
        SwiftTask.take(error, of: id)
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
        let count = last.add(1, ordering: .relaxed).newValue
        // Where Swift's tasks are told of as well, they are counted together.
        return TaskID(rawValue: trace_has_both_worlds() ? trace_next_task() : count)
    }

    static func noteReleased() {
        released.add(1, ordering: .releasing)
    }
}
