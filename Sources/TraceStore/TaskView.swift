import TaskEvents

/// One task as it stands: a window on the store's table that copies and allocates nothing.
///
/// Good until the next `apply`; hold the task's id across frames.
package struct TaskView {
    let store: TraceStore
    package let row: TaskRow
    let record: UnsafePointer<TaskRecord>

    package var id: TaskID { TaskID(rawValue: record.pointee.id) }
    package var kind: TaskKind { record.pointee.kind }
    package var state: TaskState { record.pointee.state }
    package var labelID: EntryID { EntryID(rawValue: record.pointee.label) }

    /// The task's name and site; `task 12` for one that the trace gives no name.
    package var label: Label {
        store.fold.entries.label(labelID) ?? Label(name: "task \(record.pointee.id)")
    }

    /// The executor asked for; `.none` for joins, delays, sources and finished tasks.
    /// A Swift task in a queue shows the queue's: the actor that it waits for.
    package var executor: ExecutorID { ExecutorID(rawValue: store.fold.executorShown(of: record)) }

    /// The id of the task that the chain begins with.
    package var chain: TaskID { TaskID(rawValue: store.fold.id(ofChain: record.pointee.chain)) }

    /// The chain's place in the store's table: the same for its tasks and no others, until the next event.
    package var chainRow: Int { Int(record.pointee.chain) }

    /// The lane of the thread that it last ran on.
    package var lane: Int { Int(record.pointee.lane) }

    /// Whether the trace does not have the task's creation, so that its kind, name and antecedents are guesses.
    package var isSynthesised: Bool { record.pointee.marks.contains(.isSynthesised) }

    // MARK: Times, in nanoseconds

    package var created: UInt64? { record.pointee.marks.contains(.knowsCreated) ? record.pointee.created : nil }

    /// When its job was first put into a queue; nil for one that ran inline or was skipped.
    package var queued: UInt64? { store.fold.time(.queued, of: record) }

    /// When its body began.
    package var started: UInt64? { store.fold.time(.started, of: record) }
    package var ended: UInt64? {
        let after = record.pointee.endedAfter
        return after < TaskRecord.long ? record.pointee.created + UInt64(after) : store.fold.time(.ended, of: record)
    }

    /// Of a Swift task how urgent its first job was; nil where that is not known.
    package var priority: JobPriority? { record.pointee.priority }

    /// How long its body has run, up to now.
    package var busy: UInt64 { store.fold.spent(.running, by: record) }
    package var queuedTime: UInt64 { store.fold.spent(.queued, by: record) }
    package var suspendedTime: UInt64 { store.fold.spent(.suspended, by: record) }

    // MARK: How it ran and ended

    package var isSkipped: Bool { record.pointee.marks.contains(.isSkipped) }
    /// Whether it waits in a queue because a gate holds its job.
    package var isHeld: Bool { record.pointee.marks.contains(.isHeld) }
    package var isReleased: Bool { record.pointee.marks.contains(.isReleased) }

    /// Whether code outside of every body read its error.
    package var isErrorReadOutside: Bool { record.pointee.marks.contains(.isReadOutside) }

    /// Nil before its body begins.
    package var startManner: StartManner? {
        guard record.pointee.startedAfter != TaskRecord.never else { return nil }
        return record.pointee.marks.contains(.startedInline) ? .inline : .dequeued
    }

    /// The task that it is suspended on.
    package var waitsFor: TaskID? {
        guard state == .suspended, other != .none else { return nil }
        return other
    }

    /// What it awaits while it is suspended: the asynchronous calls it is in, as code, the innermost first.
    package var awaitedCalls: EntryID {
        guard state == .suspended, record.pointee.extra >= 0 else { return .none }
        return EntryID(rawValue: store.fold.extras.reading(record.pointee.extra).pointee.awaited)
    }

    /// Whether it was asked to stop; it may have gone on.
    package var isAskedToStop: Bool { record.pointee.marks.contains(.isAskedToStop) }

    /// The task whose body asked it to stop; `.none` if no task did.
    package var asker: TaskID {
        record.pointee.extra < 0 ? .none : TaskID(rawValue: store.fold.extras.reading(record.pointee.extra).pointee.asker)
    }

    package var error: EntryID { EntryID(rawValue: state == .faulted ? record.pointee.errorOrNode : 0) }
    package var faultManner: FaultManner? { state == .faulted ? FaultManner(rawValue: record.pointee.manner) : nil }

    /// The task that it got its error from; `.none` for one that is an origin, and for an aggregate.
    package var faultSource: TaskID { state == .faulted ? other : .none }

    package var cancellation: CancellationManner? {
        state == .cancelled ? CancellationManner(rawValue: record.pointee.manner) : nil
    }

    package var cancelledBy: TaskID {
        guard state == .cancelled else { return .none }
        return other == .none ? asker : other
    }

    private var other: TaskID {
        record.pointee.extra < 0 ? .none : TaskID(rawValue: store.fold.extras.reading(record.pointee.extra).pointee.other)
    }
}

extension TaskView {
    /// Why it is suspended; nil if it is not.
    package var suspension: SuspensionReason? {
        guard state == .suspended, record.pointee.extra >= 0 else { return nil }
        return SuspensionReason(rawValue: store.fold.extras.reading(record.pointee.extra).pointee.suspension)
    }

    /// The executor in whose queue it waits, which may be another than the one that it asked for; `.none` if it waits in no queue.
    package var queuedOn: ExecutorID {
        guard state == .queued else { return .none }
        return ExecutorID(rawValue: store.fold.queued.reading(Int32(bitPattern: record.pointee.errorOrNode)).pointee.executor)
    }

    /// When it suspended last, in nanoseconds; nil if it is not suspended.
    package var suspendedSince: UInt64? {
        state == .suspended ? lastSuspension : nil
    }

    /// When it suspended last, whatever it has done since; nil if it never did, and once it has ended.
    package var lastSuspension: UInt64? {
        store.fold.course(of: record)?.pointee.lastTime(of: .suspended)
    }

    /// When its body began to run last; nil if it never did.
    package var lastRun: UInt64? {
        store.fold.course(of: record)?.pointee.lastTime(of: .running) ?? started
    }
}

/// A task's place in the store's table. Small numbers, given again after eviction: hold a `TaskID` across frames and a row within one.
package struct TaskRow: Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
