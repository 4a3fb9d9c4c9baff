import Synchronization
import TaskEvents

/// The part of a ``ChainTask`` that does not depend on its value's type: its stages, its error, and what waits for it.
///
/// Only the value is generic, and lives in the subclass, so everything else is compiled once. Any thread may use a task.
public class AnyChainTask: @unchecked Sendable {
    // Value and failure are written once, before the end is published, and only read after it. The order of the fields leaves no gaps: a
    // task of an `Int` takes 81 bytes.

    package let id: TaskID
    /// The task that its chain begins with.
    let chain: TaskID
    /// Guarded by `lock`, except in `deinit`, where no other reference exists.
    @exclusivity(unchecked) private var followers = Followers()
    @exclusivity(unchecked) private var failure: (any Error)?
    private let lock = Guarded(())
    private let state = TaskStateMachine()
    private let errorReading = Atomic<ErrorReading>(.unread)
    private let isListed = EventBus.isRecording

    /// How a task has ended, without its value.
    enum Ending {
        case none, succeeded, faulted, cancelled
    }

    /// Which code has read the task's error.
    private enum ErrorReading: UInt8, AtomicRepresentable {
        case unread
        /// Only bodies of tasks. The trace names each.
        case byBodies
        /// Code outside of every body. The trace says so once.
        case outside
    }

    /// A root with a body, for code that other modules specialise.
    @usableFromInline
    init(rootOn executor: ChainExecutor, _ name: String?, _ fileID: StaticString, _ line: UInt, _ function: StaticString) {
        id = TaskCounter.next()
        chain = id
        let label = list(Emit.label(name: name, or: function, fileID: fileID, line: line))
        Emit.created(id, kind: .root, label: label, executor: executor.core.id)
    }

    /// A continuation, for code that other modules specialise.
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

    /// A new task. It is called `name`, or without one after `function`.
    init(
        kind: TaskKind, name: String?, or function: StaticString, fileID: StaticString, line: UInt, antecedent: AnyChainTask? = nil
    ) {
        id = TaskCounter.next()
        chain = id
        let label = list(Emit.label(name: name, or: function, fileID: fileID, line: line))
        Emit.created(id, kind: kind, label: label, antecedent: antecedent?.id ?? .none)
    }

    /// Lists the task for commands under its label, if anything is recorded. Returns the label.
    private func list(_ label: EntryID) -> EntryID {
        if isListed { TaskDirectory.shared.add(self, id, called: label) }
        return label
    }

    deinit {
        switch currentEnding {
        case .none: Emit.released(id)
        case .faulted: if errorReading.load(ordering: .relaxed) == .unread { Emit.released(id) }
        case .succeeded, .cancelled: break
        }
        if isListed { TaskDirectory.shared.remove(self, id) }
        TaskCounter.noteReleased()
        // Moved out, so that this frame holds no copy whose release would nest.
        DeferredRelease.release(followers.take())
    }

    /// Takes the value of an ended task of the same type.
    func adoptValue(of other: AnyChainTask) {
        preconditionFailure("a task without a value cannot take one")
    }

    /// Tasks that exist, ended ones included. Exact while no other thread makes or releases one.
    package static var liveCount: Int { TaskCounter.liveCount }

    // MARK: Outcome

    /// Whether it has ended, in any way.
    public final var isCompleted: Bool { state.stage.hasEnded }

    /// Whether it has failed. Asking this does not read the error.
    public final var isFaulted: Bool { currentEnding == .faulted }

    public final var isCancelled: Bool { currentEnding == .cancelled }

    /// Its error, which counts as read from then on; nil unless the task has failed.
    public final var error: (any Error)? {
        guard let error = unreadError else { return nil }
        noteErrorRead(error)
        return error
    }

    /// Loaded with acquiring order, so that the value and the failure can be read after it.
    final var currentEnding: Ending {
        switch state.stage {
        case .waiting, .running, .awaitingInner, .ending: .none
        case .succeeded: .succeeded
        case .faulted: .faulted
        case .cancelled: .cancelled
        }
    }

    /// The error, without counting as read: for the runtime and its dialects.
    package final var unreadError: (any Error)? {
        currentEnding == .faulted ? failure : nil
    }

    // MARK: Waiting

    /// Blocks the calling thread until the task has ended. Its continuations may not have run by then.
    ///
    /// A thread that waits for a task that only this thread could run blocks forever: main on a continuation for main, for example.
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

    /// Calls `continuation` when the task has ended; at once, on this thread, if it has.
    @usableFromInline
    final func whenEnded(_ continuation: @escaping Continuation) {
        if !addIfPending(continuation) { Trampoline.run { ContinuationCall(continuation, after: self).run(on: &$0) } }
    }

    /// As ``whenEnded(_:)``, on a thread that runs a trampoline.
    final func whenEnded(_ trampoline: inout Trampoline, _ continuation: @escaping Continuation) {
        if !addIfPending(continuation) { ContinuationCall(continuation, after: self).run(on: &trampoline) }
    }

    /// Calls `continuation` when the task has ended. False if it has ended already: then the continuation is not called.
    final func addIfPending(_ continuation: @escaping Continuation) -> Bool {
        whilePending { $0.add(continuation) }
    }

    /// Calls `action` when the task has ended; at once, on this thread, if it has. It is no continuation and leaves nothing in the trace.
    package final func onEnd(_ action: @escaping @Sendable () -> Void) {
        whenEnded { _, _, _ in
            action()
            return .over
        }
    }

    /// Changes what waits for the end. False, without a change, if the task has ended.
    @discardableResult
    private func whilePending(_ change: (inout Followers) -> Void) -> Bool {
        lock.withLock { _ in
            guard !state.stage.hasEnded else { return false }
            change(&followers)
            return true
        }
    }

    // MARK: Stages

    /// Whether the body may run.
    final func begin() -> Bool { state.begin() }

    final func awaitInner() { state.awaitInner() }

    /// Whether this claimant decides the outcome. If so, it must end the task.
    final func claim(by claimant: TaskStateMachine.Claimant = .owner) -> Bool { state.claim(by: claimant) }

    /// Claims the end for the thread that has run the body. No other claimant can end a task whose body runs.
    final func claimAfterBody() { state.claimAfterBody() }

    /// Whether an inspector has ended the task. Its source cannot know that.
    package final var isOverruled: Bool { state.isOverruled }

    // MARK: Ending, after a claim

    /// The subclass holds the value.
    final func succeed(_ cause: EndCause, _ trampoline: inout Trampoline) {
        Emit.completed(id, site: cause.site)
        publish(.succeeded, &trampoline)
    }

    final func fault(with error: any Error, _ cause: EndCause, _ trampoline: inout Trampoline) {
        failure = error
        Gatekeeper.shared.noteFault()
        Emit.faulted(id, error: Emit.error(error), cause.faultManner, from: cause.source)
        publish(.faulted, &trampoline)
    }

    final func cancel(_ cause: EndCause, _ trampoline: inout Trampoline) {
        Emit.cancelled(id, cause.cancellationManner, by: cause.source)
        publish(.cancelled, &trampoline)
    }

    /// Makes the outcome visible, wakes the threads that wait, and puts the continuations on the trampoline. The trace has the end already.
    private func publish(_ stage: TaskStateMachine.Stage, _ trampoline: inout Trampoline) {
        let released = lock.withLock { _ in
            state.end(as: stage)
            return followers.take()
        }
        guard !released.isEmpty else { return }
        for waiter in released.waiters { waiter.wake() }
        trampoline.push(released, after: self)
    }

    // MARK: Reading the error

    /// Notes that the code on this thread has read the task's error.
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

    /// Notes that a Swift task that awaited the task is about to throw its error.
    final func noteErrorThrown(_ error: any Error) {
        guard AsyncBody.current == nil, let reader = SwiftTask.current else { return noteErrorRead(error) }
        noteReadByBody()
        Emit.errorRead(of: id, by: reader)
        SwiftTask.take(error, of: id)
    }

    /// Notes that a body begins that takes the task's error as its argument.
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

/// Where and how a task's body runs now that its turn has come.
@usableFromInline
struct Turn {
    let executor: ExecutorID
    let manner: StartManner
    /// The failed task whose error the body takes as its argument. Only a body that begins reads it.
    var handing: AnyChainTask?
}

/// Runs a root's body. Returns whether the body began.
@usableFromInline
typealias Start = @Sendable (_ turn: Turn, _ trampoline: inout Trampoline) -> Bool

/// Called when a task has ended, on the thread that ended it, with no lock held. Called once more, with a turn, if it asked for one.
@usableFromInline
typealias Continuation = @Sendable (_ antecedent: AnyChainTask, _ turn: Turn?, _ trampoline: inout Trampoline) -> ContinuationStep

/// What a continuation does next.
@usableFromInline
enum ContinuationStep {
    /// Its body begins.
    case runs(Turn)
    /// Its body belongs in an executor's queue. The continuation is called again when its turn has come there.
    case queues(AnyChainTask, ChainExecutor, HopManner)
    /// Nothing is left to do.
    case over
}

/// A continuation that waits for a task. A type of its own, because a generic container would wrap a bare closure in another one.
struct Follower {
    let continuation: Continuation
}

typealias Followers = FollowersOf<Follower>

extension Followers {
    mutating func add(_ continuation: @escaping Continuation) {
        append(Follower(continuation: continuation))
    }
}

/// A continuation to be called, and the ended task that it follows.
@usableFromInline
struct ContinuationCall: TrampolineStep {
    private let continuation: Continuation
    private let antecedent: AnyChainTask

    init(_ continuation: @escaping Continuation, after antecedent: AnyChainTask) {
        self.continuation = continuation
        self.antecedent = antecedent
    }

    /// Calls the continuation, and puts its body into the queue if it belongs in one.
    @usableFromInline
    func run(on trampoline: inout Trampoline) {
        guard case .queues(let task, let executor, let manner) = continuation(antecedent, nil, &trampoline) else { return }
        executor.enqueue(task, manner, isHop: true) { [continuation, antecedent] turn, trampoline in
            guard case .runs = continuation(antecedent, turn, &trampoline) else { return false }
            return true
        }
    }
}

@usableFromInline
typealias Trampoline = TrampolineOf<ContinuationCall>

extension Trampoline {
    mutating func push(_ followers: Followers, after antecedent: AnyChainTask) {
        guard let (first, later) = followers.continuations else { return }
        for follower in later { push(ContinuationCall(follower.continuation, after: antecedent)) }
        push(ContinuationCall(first.continuation, after: antecedent))
    }
}
