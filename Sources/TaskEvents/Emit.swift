import CTraceLanes

/// The functions that emitters call, one per event. An event costs a few nanoseconds; without a recording it costs one relaxed load.
///
/// This type, the identifiers and the enums it takes are public so that the compiler can inline that load into its callers. The compiler
/// does not inline `package` code across modules.
///
/// Callable from any thread. No function waits, allocates or takes a lock, except when the trace sees a name or an error for the first
/// time.
@_documentation(visibility: internal)
public enum Emit {
    // MARK: A task's life

    @inlinable
    public static func created(
        _ task: TaskID, kind: TaskKind, label: EntryID, executor: ExecutorID = .none, antecedent: TaskID = .none
    ) {
        emit(.created, task, detail: kind.rawValue, executor: executor, label: label, other: antecedent.rawValue)
    }

    @inlinable
    public static func antecedent(_ antecedent: TaskID, of task: TaskID, role: AntecedentRole) {
        emit(.antecedent, task, detail: role.rawValue, other: antecedent.rawValue)
    }

    @inlinable
    public static func enqueued(_ task: TaskID, on executor: ExecutorID) {
        emit(.enqueued, task, after: .hopped, executor: executor)
    }

    /// - Parameter isDirect: whether none of the program's code runs between the task's creation and an inline start that follows it in the
    ///   thread's lane. The start then has the creation's time.
    @inlinable
    public static func started(_ task: TaskID, on executor: ExecutorID, _ manner: StartManner, isDirect: Bool = false) {
        guard isDirect, manner == .inline else { return emit(.started, task, detail: manner.rawValue, executor: executor) }
        emit(.started, task, after: .created, detail: manner.rawValue, executor: executor)
    }

    /// A closure that belongs to no task begins. `closure` is its name and call site.
    @inlinable
    public static func started(closure: EntryID, on executor: ExecutorID) {
        emit(.started, .none, detail: StartManner.dequeued.rawValue, executor: executor, label: closure)
    }

    @inlinable
    public static func suspended(_ task: TaskID, _ reason: SuspensionReason, awaiting other: TaskID = .none) {
        emit(.suspended, task, detail: reason.rawValue, other: other.rawValue)
    }

    /// The task waits for a condition, or for its turn. `condition` gives its name and call site; `other` is the task whose end decides it,
    /// if any.
    @inlinable
    public static func suspended(_ task: TaskID, untilMet condition: EntryID, awaiting other: TaskID = .none) {
        emit(.suspended, task, detail: SuspensionReason.condition.rawValue, label: condition, other: other.rawValue)
    }

    @inlinable
    public static func condition(_ condition: EntryID, of task: TaskID, _ result: ConditionResult) {
        emit(.condition, task, detail: result.rawValue, label: condition)
    }

    @inlinable
    public static func resumed(_ task: TaskID) {
        emit(.resumed, task)
    }

    @inlinable
    public static func skipped(_ task: TaskID, antecedent: TaskID) {
        emit(.skipped, task, other: antecedent.rawValue)
    }

    /// - Parameter isDirect: whether none of the program's code runs between the task's creation and its end. The end then has the
    ///   creation's time. An end right after a skip always has the skip's time.
    @inlinable
    public static func completed(_ task: TaskID, site: EntryID = .none, isDirect: Bool = false) {
        emit(.completed, task, after: isDirect ? .created : .skipped, label: site)
    }

    @inlinable
    public static func faulted(_ task: TaskID, error: EntryID, _ manner: FaultManner, from source: TaskID = .none) {
        emit(.faulted, task, after: .skipped, detail: manner.rawValue, label: error, other: source.rawValue)
    }

    @inlinable
    public static func cancelled(_ task: TaskID, _ manner: CancellationManner, by other: TaskID = .none) {
        emit(.cancelled, task, after: .skipped, detail: manner.rawValue, other: other.rawValue)
    }

    @inlinable
    public static func errorRead(of task: TaskID, by reader: TaskID) {
        emit(.errorRead, task, other: reader.rawValue)
    }

    @inlinable
    public static func released(_ task: TaskID) {
        emit(.released, task)
    }

    @inlinable
    public static func completedTwice(_ task: TaskID, site: EntryID, isError: Bool) {
        emit(.completedTwice, task, detail: isError ? 1 : 0, label: site)
    }

    // MARK: Executors and threads

    @inlinable
    public static func hopped(_ task: TaskID, from: ExecutorID, to: ExecutorID, _ manner: HopManner) {
        emit(.hopped, task, detail: manner.rawValue, executor: to, other: UInt64(from.rawValue))
    }

    @inlinable
    public static func jobEnded(_ task: TaskID, on executor: ExecutorID) {
        emit(.jobEnded, task, executor: executor)
    }

    /// A closure that belongs to no task has ended. `closure` is the entry that its beginning had.
    @inlinable
    public static func jobEnded(closure: EntryID, on executor: ExecutorID) {
        emit(.jobEnded, .none, executor: executor, label: closure)
    }

    @inlinable
    public static func held(_ task: TaskID, on executor: ExecutorID) {
        emit(.held, task, executor: executor)
    }

    @inlinable
    public static func stepped(_ task: TaskID, on executor: ExecutorID) {
        emit(.stepped, task, executor: executor)
    }

    @inlinable
    public static func waitBegan(for task: TaskID, by waiter: TaskID, call: EntryID) {
        emit(.waitBegan, task, label: call, other: waiter.rawValue)
    }

    @inlinable
    public static func waitEnded(for task: TaskID, by waiter: TaskID, timedOut: Bool) {
        emit(.waitEnded, task, detail: timedOut ? 1 : 0, other: waiter.rawValue)
    }

    /// Puts a mark among the events.
    public static func mark(_ text: String, _ manner: MarkManner = .note) {
        guard EventBus.isRecording else { return }
        var text = text
        emit(.mark, .none, detail: manner.rawValue, label: EntryID(rawValue: text.withUTF8 { trace_text($0.baseAddress, $0.count) }))
    }

    @inlinable
    static func emit(
        _ kind: EventKind, _ task: TaskID, detail: UInt8 = 0, executor: ExecutorID = .none, label: EntryID = .none, other: UInt64 = 0
    ) {
        guard trace_is_recording() else { return }
        trace_emit(kind.rawValue, detail, executor.rawValue, label.rawValue, task.rawValue, other)
    }

    /// For a caller that runs none of the program's code after an event `before` of the same task. If that is the thread's last event, the
    /// two share their time, because reading the clock is the larger part of an event's cost.
    @inlinable
    static func emit(
        _ kind: EventKind, _ task: TaskID, after before: EventKind, detail: UInt8 = 0, executor: ExecutorID = .none, label: EntryID = .none,
        other: UInt64 = 0
    ) {
        guard trace_is_recording() else { return }
        trace_emit_after(before.rawValue, kind.rawValue, detail, executor.rawValue, label.rawValue, task.rawValue, other)
    }
}
