import TaskEvents
import TraceTransport

/// One task's current state, read from the store's table without copying or allocating.
///
/// Valid until the next `apply`. Keep the task's id, not the view, from one frame to the next.
package struct TaskView {
    let store: TraceStore
    package let row: TaskRow
    let record: UnsafePointer<TaskRecord>

    /// The properties that few tasks have. Nil for a task that has none of them.
    var extra: UnsafePointer<TaskExtra>? { store.fold.tasks.knownExtra(of: record) }

    package var id: TaskID { TaskID(rawValue: record.pointee.id) }
    package var kind: TaskKind { record.pointee.kind }
    package var state: TaskState { record.pointee.state }
    package var labelID: EntryID { EntryID(rawValue: record.pointee.label) }

    /// The task's name and site; `task 12`, `block 3` if the trace has no name for it.
    package var label: Label { store.label(ofTask: labelID, named: nameID) ?? Label(name: id.words) }

    /// The text entry of the name that the task's own code gave to it last, as a route; `.none` for none.
    package var nameID: EntryID { EntryID(rawValue: extra?.pointee.name ?? 0) }

    /// The requested executor; `.none` for joins, delays, sources and tasks created as finished. A Swift task changes executors: while it
    /// is queued, this is the executor of its queue, and while it runs, the one that it has come to.
    package var executor: ExecutorID { ExecutorID(rawValue: store.fold.executorShown(of: record)) }

    /// The id of the chain's first task.
    package var chain: TaskID { TaskID(rawValue: store.fold.id(ofChain: record.pointee.chain)) }

    /// The chain's index in the store's table. It identifies the chain until the next event.
    package var chainRow: Int { Int(record.pointee.chain) }

    /// The lane of the thread that the task last ran on.
    package var lane: Int { Int(record.pointee.lane) }

    /// Whether the trace lacks the task's creation, so that its kind, name and antecedents are guesses.
    package var isSynthesised: Bool { record.pointee.flags.contains(.isSynthesised) }

    /// Whether the task was there before the probe was loaded into the running process. Then it is synthesised, and its kind, name and parent
    /// are known.
    package var isAdopted: Bool { record.pointee.isAdopted }

    /// Whether a state that is known since `time` may have begun before the probe was loaded.
    package func mayBeOlder(than time: UInt64) -> Bool { isAdopted && time <= record.pointee.created }

    /// Whether the task is open, and events after its last known step may be among lost records.
    package var isUncertain: Bool {
        guard let loss = store.lastLoss, !state.hasEnded else { return false }
        let steps = [created ?? record.pointee.created, queued, lastRun, lastSuspension].compactMap(\.self)
        guard steps.allSatisfy({ $0 <= loss }) else { return false }
        // A running task continues in the lane of its thread. A loss in that lane ends the run.
        return state != .running || !store.fold.lanes.isRunning(id.rawValue, inLane: record.pointee.lane)
    }

    /// Whether the trace shows how tasks of this kind end, and not only that they do.
    package var showsOutcome: Bool { !kind.isOfSwift || store.swiftRoutes.contains(.ends) }

    // MARK: Times, in nanoseconds

    package var created: UInt64? { record.pointee.flags.contains(.knowsCreated) ? record.pointee.created : nil }

    /// The creation; else the time at which a task was found that was there before, or the first known step. Nil if no time is known.
    package var firstKnown: UInt64? { created ?? (isAdopted ? record.pointee.created : queued ?? started) }

    /// The time at which the task's job was first enqueued. Nil for a task that ran inline or was skipped.
    package var queued: UInt64? { store.fold.tasks.time(.queued, of: record) }

    /// The time at which the body began.
    package var started: UInt64? { store.fold.tasks.time(.started, of: record) }
    package var ended: UInt64? {
        let after = record.pointee.endedAfter
        return after < TaskRecord.long ? record.pointee.created + UInt64(after) : store.fold.tasks.time(.ended, of: record)
    }

    /// The priority of a Swift task's first job; nil if unknown.
    package var priority: JobPriority? { record.pointee.priority }

    /// The time that the body has run, up to now. Nil, as ``queuedTime`` and ``suspendedTime``, if the trace consists of snapshots: what two of
    /// them show in the same state may have left it and come back between them.
    package var busy: UInt64? { spent(.running) }
    /// The part of ``busy`` for which a thread that ran the body blocked.
    package var blocked: UInt64 { min(pastBlocked.plus(openBlock ?? 0), busy ?? 0) }
    package var queuedTime: UInt64? { spent(.queued) }
    package var suspendedTime: UInt64? { spent(.suspended) }

    private func spent(_ state: TaskState) -> UInt64? {
        store.isSampled ? nil : store.fold.tasks.spent(state, by: record, now: store.now)
    }

    private var pastBlocked: UInt64 { extra?.pointee.blocked ?? 0 }

    /// The time for which the thread that runs the body has been blocking.
    private var openBlock: UInt64? {
        guard state == .running, let wait = store.threadWait(onLane: lane), let lastRun else { return nil }
        let since = max(wait.since, lastRun)
        return store.now > since ? store.now - since : nil
    }

    /// Whether records of the time that the task lived may be lost.
    package var isTouchedByLoss: Bool { store.hasLoss(from: record.pointee.created, until: ended ?? store.now) }

    // MARK: How it ran and ended

    package var isSkipped: Bool { record.pointee.flags.contains(.isSkipped) }
    /// Whether the task's job stays in its queue because a gate holds it.
    package var isHeld: Bool { record.pointee.flags.contains(.isHeld) }
    package var isReleased: Bool { record.pointee.flags.contains(.isReleased) }

    /// Whether code outside every body read the error.
    package var isErrorReadOutside: Bool { record.pointee.flags.contains(.isReadOutside) }

    /// Whether the store has evicted a task that had this failed task as an antecedent, and may have taken its error.
    package var lacksSuccessor: Bool { extra?.pointee.lacksSuccessor == true }

    /// Nil before the body begins.
    package var startManner: StartManner? {
        guard record.pointee.startedAfter != TaskRecord.never else { return nil }
        return record.pointee.flags.contains(.startedInline) ? .inline : .dequeued
    }

    /// The task that this one is suspended on.
    package var waitsFor: TaskID? {
        guard state == .suspended, other != .none else { return nil }
        return other
    }

    /// The code entry of the asynchronous calls that a suspended task awaits, innermost first; of a queued task, those that will go on.
    package var awaitedCalls: EntryID {
        guard state == .suspended || state == .queued else { return .none }
        return EntryID(rawValue: extra?.pointee.awaited ?? 0)
    }

    /// Whether a suspended task has suspended at the same place before, as the task of a loop does.
    package var isBackAtPlace: Bool { state == .suspended && extra?.pointee.isBack == true }

    /// Whether a library made the task, and it is called after the user's function that it runs.
    package var isCalledAfterHandler: Bool { store.fold.executors.entries.isCode(labelID) }

    /// Whether a suspended task is in the code of libraries alone. Of an unnamed place, this is not known.
    package var waitsInLibrary: Bool { state == .suspended && store.fold.executors.entries.owner(of: awaitedCalls) == .library }

    /// The size in bytes of the memory that the runtime had allocated for the task when it was last measured. Nil if it never was,
    /// and after the task's end.
    package var memory: UInt64? {
        guard !state.hasEnded, let units = extra?.pointee.memory, units > 0 else { return nil }
        return UInt64(units) * TaskExtra.memoryUnit
    }

    /// Whether the task is an asynchronous `main` that failed: the runtime then ends the program with its error.
    package var endedTheProgram: Bool { kind == .main && state == .faulted }

    package var error: EntryID { EntryID(rawValue: state == .faulted ? record.pointee.errorOrNode : 0) }
    package var faultManner: FaultManner? { state == .faulted ? FaultManner(rawValue: record.pointee.manner) : nil }

    /// The task that the error came from; `.none` if the error originated in this task, and for an aggregate.
    package var faultSource: TaskID { state == .faulted ? other : .none }

    package var cancellation: CancellationManner? {
        state == .cancelled ? CancellationManner(rawValue: record.pointee.manner) : nil
    }

    package var cancelledBy: TaskID {
        guard state == .cancelled else { return .none }
        return other == .none ? asker : other
    }

    private var other: TaskID { TaskID(rawValue: extra?.pointee.other ?? 0) }
}

extension TaskView {
    /// The reason of the suspension; nil if the task is not suspended.
    package var suspension: SuspensionReason? {
        guard state == .suspended, let extra else { return nil }
        return SuspensionReason(rawValue: extra.pointee.suspension)
    }

    /// The executor in whose queue the task waits, which may differ from the requested one; `.none` if the task is not queued.
    package var queuedOn: ExecutorID {
        guard state == .queued else { return .none }
        return ExecutorID(rawValue: store.fold.executors.node(of: record).pointee.executor)
    }

    /// The time at which the task's job entered its present queue, in nanoseconds. Nil if the task is not queued.
    package var queuedSince: UInt64? {
        state == .queued ? store.fold.executors.node(of: record).pointee.since : nil
    }

    /// The wait of the thread that runs the body; nil if the body does not block.
    package var threadWait: ThreadWait? {
        guard state == .running, let wait = store.threadWait(onLane: lane), wait.waiter == id else { return nil }
        return wait
    }

    /// The time at which the task last suspended, in nanoseconds. Nil if it is not suspended now.
    package var suspendedSince: UInt64? {
        state == .suspended ? lastSuspension : nil
    }

    /// The time at which the task last suspended, even if it has run since. Nil if it never suspended, and after its end.
    package var lastSuspension: UInt64? {
        store.fold.tasks.openHistory(of: record)?.pointee.lastTime(of: .suspended)
    }

    /// The time at which the body last began or continued to run. Nil if it never did.
    package var lastRun: UInt64? {
        store.fold.tasks.openHistory(of: record)?.pointee.lastTime(of: .running) ?? started
    }
}

/// A task's index in the store's table. Indices are small numbers and are reused after eviction: keep a `TaskID` from one frame to the
/// next, and a row only within a frame.
package struct TaskRow: Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}

extension TraceStore {
    /// Nil for a task that was never seen or has been evicted.
    package func row(of id: TaskID) -> TaskRow? {
        reads.add(1)
        return fold.tasks.row(of: id.rawValue).map { TaskRow(rawValue: $0) }
    }

    package subscript(row: TaskRow) -> TaskView {
        TaskView(store: self, row: row, record: fold.tasks.records.reading(row.rawValue))
    }

    /// The task with this id, if it is kept.
    package func task(_ id: TaskID) -> TaskView? {
        row(of: id).map { self[$0] }
    }

    /// All tasks in the table, by ascending id.
    package var rows: TaskRows { TaskRows(store: self, after: .none) }

    /// All blocks in the table, by ascending id.
    package var blockRows: TaskRows { blockRows(after: .none) }

    /// The tasks with ids greater than `id`.
    package func rows(after id: TaskID) -> TaskRows {
        TaskRows(store: self, after: id)
    }

    /// The blocks with ids greater than `id`.
    package func blockRows(after id: TaskID) -> TaskRows {
        TaskRows(store: self, after: id, ofBlocks: true)
    }
}

/// Rows by ascending id, of tasks or of blocks.
package struct TaskRows: Sequence, IteratorProtocol {
    private let store: TraceStore
    private let isOfBlocks: Bool
    private var start: UInt64

    init(store: TraceStore, after id: TaskID, ofBlocks isOfBlocks: Bool = false) {
        self.store = store
        self.isOfBlocks = isOfBlocks
        start = id.rawValue == .max ? .max : id.rawValue + 1
    }

    package mutating func next() -> TaskRow? {
        store.reads.add(1)
        let found = isOfBlocks ? store.fold.tasks.ids.blocks.next(from: start) : store.fold.tasks.ids.tasks.next(from: start)
        guard let (id, row) = found else { return nil }
        start = id + 1
        return TaskRow(rawValue: row)
    }
}
