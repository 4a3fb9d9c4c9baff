import CTraceLanes
import Synchronization
import TaskEvents

/// The part of a ``ChainTask`` that is independent of its value's type: the stages, the error, and the followers.
///
/// Only the subclass is generic. It holds the value alone, so this code is compiled once. Any thread may use a task.
public class AnyChainTask: @unchecked Sendable {
    // Value and failure are written once, before the end is published, and read only afterwards. The field order avoids padding.

    package let id: TaskID
    /// The first task of this task's chain.
    let chain: TaskID
    /// Guarded by `lock`, except in `deinit`, where no other reference exists.
    @exclusivity(unchecked) private var followers = Followers()
    @exclusivity(unchecked) private(set) final var failure: Failure?
    private let lock = Guarded(())
    private let state: TaskStateMachine
    private let errorReading = Atomic<ErrorReading>(.unread)
    private let isListed = trace_is_recording()

    /// How a task ended, without its value; `none` if it has not ended.
    enum Ending {
        case none, succeeded, faulted, cancelled
    }

    /// The code that has read the task's error.
    private enum ErrorReading: UInt8, AtomicRepresentable {
        case unread
        /// Only bodies of tasks have read the error. The trace records each of them.
        case byBodies
        /// Code outside all bodies has read the error. The trace records the first such read.
        case outside
    }

    /// Makes a root with a body. Called by `@inlinable` code, which other modules specialise.
    @usableFromInline
    init(
        rootOn executor: borrowing ChainExecutor, _ name: borrowing String?, _ fileID: StaticString, _ line: UInt,
        _ function: StaticString
    ) {
        state = TaskStateMachine()
        id = TaskCounter.next()
        chain = id
        let label = list(name, or: function, fileID, line)
        Emit.created(id, kind: .root, label: label, executor: executor.core.id)
    }

    /// Makes a continuation. Called by `@inlinable` code, which other modules specialise.
    @usableFromInline
    init(
        after antecedent: borrowing AnyChainTask, on executor: borrowing ChainExecutor, _ name: borrowing String?, _ fileID: StaticString,
        _ line: UInt,
        _ function: StaticString
    ) {
        state = TaskStateMachine()
        id = TaskCounter.next()
        chain = antecedent.chain
        let label = list(name, or: function, fileID, line)
        Emit.created(id, kind: .continuation, label: label, executor: executor.core.id, antecedent: antecedent.id)
    }

    /// Makes a task named `name`, or `function` if `name` is nil. Called by `@inlinable` code, which other modules specialise.
    @usableFromInline
    init(
        kind: TaskKind, name: String?, or function: StaticString, fileID: StaticString, line: UInt, antecedent: AnyChainTask? = nil
    ) {
        state = TaskStateMachine()
        id = TaskCounter.next()
        chain = id
        let label = list(name, or: function, fileID, line)
        Emit.created(id, kind: kind, label: label, antecedent: antecedent?.id ?? .none)
    }

    /// Makes a task without a body or source. The caller must end it before other code gets it.
    init(ended name: String?, or function: StaticString, fileID: StaticString, line: UInt) {
        state = TaskStateMachine(.running)
        id = TaskCounter.next()
        chain = id
        let label = list(name, or: function, fileID, line)
        Emit.created(id, kind: .root, label: label)
    }

    /// Lists the task for inspector commands if a trace is recorded, and tells an explored order of it. Returns the label.
    private func list(_ name: borrowing String?, or function: StaticString, _ fileID: StaticString, _ line: UInt) -> EntryID {
        let label = Emit.label(name: copy name, or: function, fileID: fileID, line: line)
        if isListed { TaskDirectory.shared.add(self, id, called: label) }
        if let order = Exploration.current { order.noteCreated(id, name: copy name ?? "\(function)", OrderedSite(fileID, line)) }
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
        // Takes the followers out, because releasing a copy held by this frame would recurse.
        DeferredRelease.release(followers.take())
    }

    /// Copies the value of an ended task of the same type. ``ChainTask`` overrides this.
    func adoptValue(of other: AnyChainTask) {
        preconditionFailure("a task without a value cannot take one")
    }

    /// The number of tasks that exist, including ended ones. Exact while no other thread makes or releases a task.
    package static var liveCount: Int { TaskCounter.liveCount }

    // MARK: Outcome

    /// Whether the task has ended, in any way.
    public final var isCompleted: Bool { state.stage.hasEnded }

    /// Whether the task has failed. This does not count as reading the error.
    public final var isFaulted: Bool { currentEnding == .faulted }

    /// Whether the task was cancelled.
    public final var isCancelled: Bool { currentEnding == .cancelled }

    /// The error; nil unless the task has failed. This access counts as reading the error.
    public final var error: (any Error)? {
        guard let error = unreadError else { return nil }
        noteErrorRead(error)
        return error
    }

    /// Loads the stage with acquiring order, so that value and failure may be read afterwards.
    final var currentEnding: Ending {
        switch state.stage {
        case .waiting, .running, .awaitingInner, .ending: .none
        case .succeeded: .succeeded
        case .faulted: .faulted
        case .cancelled: .cancelled
        }
    }

    /// The error, for the runtime and its dialects. This access does not count as reading it.
    package final var unreadError: (any Error)? {
        currentEnding == .faulted ? failure?.error : nil
    }

    // MARK: Waiting

    /// Blocks the calling thread until the task has ended. Its continuations may run later.
    ///
    /// Deadlocks if only the calling thread could run the task, for example if main waits for a continuation on main.
    @available(*, noasync, message: "await its value instead")
    public final func wait(fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function) {
        guard !isCompleted else { return }
        wait(in: Emit.label(name: nil, or: function, fileID: fileID, line: line))
    }

    /// `call` is the label of the blocking call; `.none` for a dialect, whose own call is in the library.
    @available(*, noasync, message: "await its value instead")
    package final func wait(in call: EntryID) {
        let waiter = Waiter(releasing: release)
        guard (whilePending { $0.add(waiter) }) else { return }
        let body = ExecutionFrame.currentTask
        Emit.waitBegan(for: id, by: body, call: call)
        waiter.wait()
        Emit.waitEnded(for: id, by: body, timedOut: false)
    }

    /// Blocks the calling thread until the task has ended, for `timeout` at most. Returns false if the task has not ended by then.
    @available(*, noasync, message: "await its value instead")
    public final func wait(
        timeout: Duration, fileID: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
    ) -> Bool {
        let waiter = Waiter(releasing: release)
        guard (whilePending { $0.add(waiter) }) else { return true }
        let body = ExecutionFrame.currentTask
        Emit.waitBegan(for: id, by: body, call: Emit.label(name: nil, or: function, fileID: fileID, line: line))
        let hasEnded = waiter.wait(timeout: timeout) || isCompleted
        if !hasEnded { whilePending { $0.remove(waiter) } }
        Emit.waitEnded(for: id, by: body, timedOut: !hasEnded)
        return hasEnded
    }

    /// Calls `continuation` when the task has ended. If it has already ended, calls `continuation` at once, on this thread.
    @usableFromInline
    final func whenEnded(_ continuation: consuming @escaping Continuation) {
        Exploration.point()
        guard !isCompleted else { return call(continuation) }
        var follower: Follower? = Follower(continuation: continuation)
        if !addIfPending(&follower), let follower { call(follower.continuation) }
    }

    private func call(_ continuation: @escaping Continuation) {
        Trampoline.run { ContinuationCall.call(continuation, after: self, on: &$0) }
    }

    /// Like ``whenEnded(_:)``, for a caller that already has a trampoline.
    final func whenEnded(_ trampoline: inout Trampoline, _ continuation: @escaping Continuation) {
        var follower: Follower? = Follower(continuation: continuation)
        guard !addIfPending(&follower), let follower else { return }
        ContinuationCall.call(follower.continuation, after: self, on: &trampoline)
    }

    /// Takes a continuation that is called when the task ends. Returns false, and leaves the continuation, if the task has already ended.
    final func addIfPending(_ follower: inout Follower?) -> Bool {
        whilePending { followers in
            // Continuations are moved, not copied: a copy counts references up and down.
            if let taken = exchange(&follower, with: nil) { followers.append(taken) }
        }
    }

    /// Calls `action` when the task has ended. If it has already ended, calls `action` at once, on this thread. The action is not a
    /// continuation and leaves no events in the trace.
    package final func onEnd(_ action: @escaping @Sendable () -> Void) {
        whenEnded { _, _, _ in
            action()
            return .over
        }
    }

    /// Changes the followers, unless the task has ended. Returns whether it changed them.
    @discardableResult
    private func whilePending(_ change: (inout Followers) -> Void) -> Bool {
        lock.withLock { _ in
            guard !state.stage.hasEnded else { return false }
            change(&followers)
            return true
        }
    }

    // MARK: Stages

    /// Starts the running stage. Returns whether the body may run.
    final func begin() -> Bool { state.begin() }
    final func awaitInner() { state.awaitInner() }
    /// Returns whether `claimant` decides the outcome. If true, the caller must end the task.
    final func claim(by claimant: TaskStateMachine.Claimant = .owner) -> Bool { state.claim(by: claimant) }
    /// Claims the end for the thread that ran the body. No other claimant can end a task whose body is running.
    final func claimAfterBody() { state.claimAfterBody() }

    /// Whether an inspector ended the task. The task's source cannot know this.
    package final var isOverruled: Bool { state.isOverruled }

    // MARK: Ending, after a claim

    /// Ends the task as succeeded. The subclass has already stored the value.
    final func succeed(_ cause: EndCause, _ trampoline: inout Trampoline) {
        Emit.completed(id, site: cause.site)
        publish(.succeeded, &trampoline)
    }

    /// Ends a task that is made ended. The subclass has already stored the value. No other code has the task, so nothing follows it.
    final func succeedAtOnce() {
        claimAfterBody()
        Emit.completed(id, isDirect: true)
        state.end(as: .succeeded)
    }

    final func fault(with failure: Failure, _ cause: EndCause, _ trampoline: inout Trampoline) {
        self.failure = failure
        fault(trace_is_recording() ? failure.entry : nil, cause, &trampoline)
    }

    /// Ends the task with the error of a failed task.
    final func fault(like other: AnyChainTask, _ cause: EndCause, _ trampoline: inout Trampoline) {
        guard let failure = other.failure else { preconditionFailure("a task that has not failed has no error to forward") }
        let entry = trace_is_recording() ? failure.entry : nil
        // The reference is moved, not copied: a copy counts it up and down.
        self.failure = consume failure
        fault(entry, cause, &trampoline)
    }

    /// Ends the task with its error, which has already been stored. `error` is the error's entry in the trace; nil without a recording.
    private func fault(_ error: EntryID?, _ cause: EndCause, _ trampoline: inout Trampoline) {
        Gatekeeper.shared.noteFault()
        if let error { Emit.faulted(id, error: error, cause.faultManner, from: cause.source) }
        publish(.faulted, &trampoline)
    }

    final func cancel(_ cause: EndCause, _ trampoline: inout Trampoline) {
        Emit.cancelled(id, cause.cancellationManner, by: cause.source)
        publish(.cancelled, &trampoline)
    }

    /// Publishes the outcome, wakes the waiting threads, and pushes the continuations on the trampoline. The trace already contains the
    /// end.
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

    /// Records that code on this thread has read the task's error.
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

    /// Records that a Swift task that awaited this task is about to throw its error.
    final func noteErrorThrown(_ error: any Error) {
        guard AsyncBody.current == nil, let reader = SurroundingTask.current else { return noteErrorRead(error) }
        noteReadByBody()
        Emit.errorRead(of: id, by: reader)
        SurroundingTask.take(error, of: id)
    }

    /// Records that `reader` is about to run a body that takes the task's error as its argument. Returns nil unless the task has failed.
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

/// The executor on which a task's body runs now, and the manner in which it starts.
@usableFromInline
struct Turn {
    let executor: ExecutorID
    let manner: StartManner
    /// The failed task whose error the body takes as its argument. The error counts as read only if the body begins.
    var handing: AnyChainTask?
}

/// Runs a root's body. Returns whether the body began.
@usableFromInline
typealias Start = @Sendable (_ turn: Turn, _ trampoline: inout Trampoline) -> Bool

/// Called when a task has ended, on the thread that ended it, with no lock held. If it returns `queues`, it is called again, with a turn.
@usableFromInline
typealias Continuation = @Sendable (_ antecedent: AnyChainTask, _ turn: Turn?, _ trampoline: inout Trampoline) -> ContinuationStep

/// The next step of a continuation.
@usableFromInline
enum ContinuationStep {
    /// The body runs in this turn.
    case runs(Turn)
    /// The body goes into an executor's queue. The continuation is called again when its turn has come.
    case queues(AnyChainTask, ChainExecutor, HopManner)
    /// Nothing is left to do.
    case over
}

/// A continuation that waits for a task. A struct, because a generic container would wrap a bare closure in another closure.
struct Follower {
    let continuation: Continuation
}

typealias Followers = FollowersOf<Follower>

/// A call of a continuation, with the ended task that it continues.
@usableFromInline
struct ContinuationCall: TrampolineStep {
    private let continuation: Continuation
    private let antecedent: AnyChainTask

    init(_ continuation: @escaping Continuation, after antecedent: AnyChainTask) {
        self.continuation = continuation
        self.antecedent = antecedent
    }

    @usableFromInline
    func run(on trampoline: inout Trampoline) {
        Self.call(continuation, after: antecedent, on: &trampoline)
    }

    /// Calls a continuation of an ended task, and enqueues its body if the body belongs in a queue.
    static func call(_ continuation: @escaping Continuation, after antecedent: AnyChainTask, on trampoline: inout Trampoline) {
        guard case .queues(let task, let executor, let manner) = continuation(antecedent, nil, &trampoline) else { return }
        executor.enqueue(task, manner, isHop: true) { turn, trampoline in
            guard case .runs = continuation(antecedent, turn, &trampoline) else { return false }
            return true
        }
    }
}

@usableFromInline
typealias Trampoline = TrampolineOf<ContinuationCall>

extension Trampoline {
    mutating func push(_ followers: consuming Followers, after antecedent: AnyChainTask) {
        followers.forEachFromLast { push(ContinuationCall($0.continuation, after: antecedent)) }
    }
}
