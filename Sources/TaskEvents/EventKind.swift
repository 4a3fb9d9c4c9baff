/// The kind of an event. The raw values are part of the format of lanes and files: later versions add values and never change one.
///
/// Each case names the fields of the record that it uses: `executor`, `label`, `other`, `detail`. Any other field is 0.
/// ``EventDescription`` has a row for each kind. Docs/Architecture.md lists what a new kind touches.
@_documentation(visibility: internal)
public enum EventKind: UInt8, CaseIterable, Sendable {
    /// A thread took the lane. `other`: the kernel's id of the thread.
    case thread = 1
    /// The task was created. `detail`: ``TaskKind``; `executor`: the requested one; `label`: name and call site; `other`: the first
    /// antecedent.
    case created = 2
    /// The task has a further antecedent, after those of earlier records. `other`: that antecedent; `detail`: ``AntecedentRole``.
    case antecedent = 3
    /// The task's job was put into an executor's queue. `executor`: the queue's executor. The probe also sets `other` to the task whose
    /// body enqueued the job, and `detail` to the job's priority on Swift's scale, 0 for none.
    case enqueued = 4
    /// The task's body begins. `executor`: the requested one; `detail`: ``StartManner``; `label`: the name and the call site of a closure
    /// that belongs to no task.
    case started = 5
    /// The body awaits, has returned a task that has not ended, or has yet to begin. `other`: the awaited task; `label`: the awaited
    /// condition, or the awaited calls as a code entry; `executor`: the executor that a Swift task gives up; `detail`:
    /// ``SuspensionReason``.
    case suspended = 6
    /// The task's wait is over and the task continues. `executor`: the executor that a Swift task is still on, if it continues at once.
    case resumed = 7
    /// A job changes executors. `executor`: the new one; `other`: the previous one, 0 for a thread without an executor; `detail`:
    /// ``HopManner``; `label`: of a Swift task that waits for the new executor, the place where it continues there, as a code entry. One
    /// record may stand for several inline hops: `other` then also holds their count and the time before them
    /// (``InlineHops``).
    case hopped = 8
    /// A job has returned, together with all bodies that ran inline inside it. `executor`: the job's.
    case jobEnded = 9
    /// A continuation does not apply and takes its antecedent's outcome. `other`: the antecedent.
    case skipped = 10
    /// The task succeeded. `label`: the call that completed it, if that call came from outside the body; `executor`, also in `faulted` and
    /// `cancelled`: the executor that a Swift task was on at its end.
    case completed = 11
    /// The task failed. `label`: the error; `other`: the task that the error came from; `detail`: ``FaultManner``.
    case faulted = 12
    /// The task was cancelled. `other`: the task whose cancellation it took over; `detail`: ``CancellationManner``.
    case cancelled = 13
    /// A failed task's error was read. `other`: the task whose body read it, 0 for code outside every body.
    case errorRead = 14
    /// The last reference to a task is gone. A chain's task was pending, or had failed with an error that no code had read. A Swift task
    /// had failed, whether its error had been read or not, or was a group's child, or the continuation that it awaits is gone. `detail`:
    /// ``ReleaseManner``; `other`: the parent whose group dropped the error; `label`: the calls that dropped a `Continuation`.
    case released = 15
    /// A thread blocks until the task ends, or on something other than a task. `other`: the task whose body blocks; `label`: the blocking
    /// call, or the calls on the stack of a Swift task's thread.
    case waitBegan = 16
    /// A thread no longer blocks. `detail`: 1 if it gave up before the task ended.
    case waitEnded = 17
    /// A condition was evaluated. `detail`: ``ConditionResult``; `label`: its name.
    case condition = 18
    /// Code tried to complete a task that had already ended. `label`: the call; `detail`: 1 if that traps, 0 if the call may fail.
    case completedTwice = 19
    /// A gate holds a job. `executor`: the gate's.
    case held = 20
    /// A gate let one job through.
    case stepped = 21
    /// Records are missing here. Readers write this event, the program does not. `other`: the number of missing records; `detail`:
    /// ``LossManner``.
    case lost = 22
    /// A user's note. `label`: the text; `detail`: ``MarkManner``. A name belongs to the task whose code gives it.
    case mark = 23
    /// A task was asked to cancel, which it may ignore. `other`: the task whose body asked; `detail`: ``CancellationRequest``; `label`: the
    /// place that asked, of a request that code called for.
    case cancellationAsked = 24
    /// The size of the memory that the runtime has allocated for the task. `other`: bytes. Readers of a process's memory write this event,
    /// the program does not.
    case memory = 25
    /// The task's own code found that the task is cancelled, or threw `CancellationError`. A task that looks again and again may have one
    /// event only.
    case cancellationSeen = 26
    /// `hopscope explore` chose what runs next. Each that could have run has a record, the chosen one the last; all of a choice have one
    /// number. `task`: of the one that the record is about; `label`: its name if it is no task, and where it goes on; `detail`:
    /// ``ChoiceManner``; `other`: the choice and the strand (``TaskEvent/choiceNumber``, ``TaskEvent/strand``).
    case choice = 27
    /// The task was there before the probe was loaded into the running process. Its creation and its course until then are unknown. `other`,
    /// `label` and `detail`: the parent, the name and the ``TaskKind``, as far as the process's memory tells them. Further events of the same
    /// time tell its state.
    case adopted = 28
    /// A cancellation shield of the task begins, ends, or is there. In a shield the task runs as if it were not cancelled. `detail`:
    /// ``ShieldManner``; `label`: the calls that began it, as a code entry.
    case shielded = 29

    /// The kind with this raw value. Every reader asks for it many times an event, and the compiler's `init(rawValue:)` is a call. The raw
    /// values have no gaps, so a comparison with the number of kinds is enough; nil is stored as that number, the first one after those of
    /// the cases. Tests compare all of this with `init(rawValue:)`.
    @inlinable init?(code: UInt8) {
        guard code &- 1 < unsafeBitCast(Self?.none, to: UInt8.self) else { return nil }
        self = unsafeBitCast(code &- 1, to: Self.self)
    }
}

/// The row of an event kind: its words, its symbol and the meaning of its record's fields. Screens, reports and exports read them here.
package struct EventDescription: Sendable {
    /// The meaning of the field `other`.
    package enum Other: Sendable {
        case unused
        /// A task. `key` is its name in JSON. `words` describe the event in the list of that task; the name of the event's own task
        /// precedes them.
        case task(key: StaticString, words: String)
        case executor
        case number(key: StaticString)
        /// A choice of `hopscope explore` and a strand of its order.
        case choice
    }

    /// The meaning of the field `label`.
    package enum Label: Sendable {
        case callSite, error, text
    }

    /// What the event's glyph stands for. ``Badge`` in `TraceAnalysis` has the glyphs and tones.
    package enum Symbol: CaseIterable, Sendable {
        /// The event changes a task's state, or tells something about that state.
        case pending, queued, running, suspended, succeeded, faulted, cancelled, skipped
        case hop, good, warning, note, minor
    }

    /// The words for one value of the field `detail`.
    package struct Detail: Sendable {
        /// The name in JSON. Other programs read it, so it never changes.
        package var name: String?
        var text: String?
        var textAlone: String?
    }

    /// The name in JSON. Other programs read it, so it never changes.
    package let name: String
    /// A word or two for a table, such as `began to wait`.
    package let word: String
    package let symbol: Symbol
    package let other: Other
    package let label: Label
    /// The whole sentence of an event that belongs to no task, for kinds that are not about a job.
    package let textWithoutTask: String?
    private let text: String
    private let textAlone: String?
    private let details: [Detail]

    fileprivate init(
        _ name: String, _ word: String, _ symbol: Symbol, _ text: String, alone: String? = nil, untasked: String? = nil,
        other: Other = .unused, label: Label = .callSite, details: [Detail] = []
    ) {
        textWithoutTask = untasked
        (self.name, self.word, self.symbol) = (name, word, symbol)
        (self.text, textAlone, self.other, self.label) = (text, alone, other, label)
        self.details = details
    }

    package static subscript(kind: EventKind) -> EventDescription { table[Int(kind.rawValue) - 1] }

    /// Whether the event also belongs to the course of the task in `other`.
    package var concernsOther: Bool {
        if case .task = other { true } else { false }
    }

    /// The name of a value of `detail`; nil if the value has no meaning or this version does not know it.
    package func name(ofDetail detail: UInt8) -> String? {
        detail < details.count ? details[Int(detail)].name : nil
    }

    /// The sentence about the event's task, without the task's name before it. Contains `{executor}`, `{other}`, `{from}`, `{error}`,
    /// `{type}`, `{text}`, `{number}` and `{count}` for the record's fields.
    /// - Parameter isAlone: whether the event names no other task.
    package func text(detail: UInt8, isAlone: Bool) -> String {
        let detail = detail < details.count ? details[Int(detail)] : nil
        let alone = isAlone ? detail?.textAlone ?? textAlone : nil
        return alone ?? detail?.text ?? text
    }

    /// In the order of the raw values, which begin at 1.
    private static let table = EventKind.allCases.map { EventDescription($0) }

    private init(_ kind: EventKind) {
        self =
            switch kind {
            case .thread:
                Self(
                    "thread", "thread", .minor, "began to record", untasked: "thread {number} began to record",
                    other: .number(key: "thread"))
            case .created:
                Self(
                    "created", "created", .pending, "created, to follow {other}", alone: "created",
                    other: .task(key: "antecedent", words: "created"),
                    details: TaskKind.allCases.map { Detail(name: $0.name, text: $0.isOfSwift ? "created by {other}" : nil) })
            case .antecedent:
                Self(
                    "antecedent", "linked", .pending, "waits for {other} too",
                    other: .task(key: "antecedent", words: "has it as an antecedent"),
                    details: [
                        Detail(name: "input"), Detail(name: "inner", text: "returned {other} from its body"),
                        Detail(name: "awaited", text: "awaits {other}"),
                    ])
            case .enqueued: Self("enqueued", "queued", .queued, "queued on {executor}")
            case .started:
                Self(
                    "started", "started", .running, "began on {executor}",
                    details: [
                        Detail(name: "dequeued"), Detail(name: "inline", text: "started inline"),
                        Detail(name: "slice", text: "began to run on {executor}"),
                    ])
            case .suspended:
                Self(
                    "suspended", "suspended", .suspended, "suspended until {other} has ended", alone: "suspended",
                    other: .task(key: "awaits", words: "suspended on it"),
                    details: [
                        Detail(name: "inner-task"), Detail(name: "condition"), Detail(name: "awaiting"), Detail(name: "task"),
                        Detail(name: "continuation", textAlone: "suspended until its continuation is resumed"),
                        Detail(name: "group", textAlone: "suspended until a task of its group has ended"),
                        Detail(name: "executor", textAlone: "suspended to change executors"),
                    ])
            case .resumed: Self("resumed", "went on", .running, "went on: its wait is over")
            case .hopped:
                Self(
                    "hopped", "hopped", .hop, "hopped from {from} to {executor}", other: .executor,
                    details: [
                        Detail(name: "dispatched"), Detail(name: "inline"), Detail(name: "depth-guard"),
                        Detail(name: "left", text: "left {from} for {executor}"),
                    ])
            case .jobEnded: Self("jobEnded", "job ended", .minor, "ended its job on {executor}")
            case .skipped:
                Self(
                    "skipped", "skipped", .skipped, "skipped: ended as {other} did",
                    other: .task(key: "antecedent", words: "skipped"))
            case .completed: Self("completed", "succeeded", .succeeded, "succeeded")
            case .faulted:
                Self(
                    "faulted", "faulted", .faulted, "faulted: {error}", other: .task(key: "source", words: "failed with its error"),
                    label: .error,
                    details: [
                        Detail(name: "thrown", text: "faulted: threw {error}"),
                        Detail(name: "forwarded", text: "faulted: forwarded {type} from {other}", textAlone: "faulted: forwarded {type}"),
                        Detail(
                            name: "transformed", text: "faulted: made {error} of the error of {other}",
                            textAlone: "faulted: made {error} of other errors"),
                        Detail(name: "injected", text: "faulted: {error} was injected"),
                    ])
            case .cancelled:
                Self(
                    "cancelled", "cancelled", .cancelled, "cancelled", other: .task(key: "source", words: "cancelled"),
                    details: [
                        Detail(name: "thrown", text: "cancelled: its body threw CancellationError"), Detail(name: "asked"),
                        Detail(name: "forwarded", text: "cancelled with {other}", textAlone: "cancelled"),
                        Detail(name: "token", text: "cancelled by its token"),
                        Detail(name: "injected", text: "cancelled from the inspector"),
                    ])
            case .errorRead:
                Self(
                    "errorRead", "error read", .good, "had its error read by {other}", alone: "had its error read outside of the tasks",
                    other: .task(key: "by", words: "its error was read here"))
            case .released:
                Self(
                    "released", "released", .minor, "released", other: .task(key: "by", words: "its error was dropped here, unread"),
                    details: [
                        Detail(),
                        Detail(
                            name: "dropped", text: "had its error dropped at the end of the group of {other}",
                            textAlone: "had its error dropped at the end of its group"),
                        Detail(name: "taken", text: "had its result taken"),
                        Detail(name: "continuation", text: "had its continuation dropped, which ends the program"),
                    ])
            case .waitBegan:
                Self(
                    "waitBegan", "began to wait", .suspended, "blocks {other} until it has ended",
                    alone: "blocks a thread until it has ended",
                    untasked: "{other} blocks its thread", other: .task(key: "by", words: "is waited for"))
            case .waitEnded:
                Self(
                    "waitEnded", "wait ended", .minor, "no longer blocks {other}", alone: "no longer blocks a thread",
                    untasked: "{other} no longer blocks its thread", other: .task(key: "by", words: "is waited for no more"),
                    details: [Detail(), Detail(name: "timed-out")])
            case .condition:
                Self(
                    "condition", "condition", .minor, "evaluated its condition {text}", label: .text,
                    details: [
                        Detail(name: "satisfied", text: "found its condition {text} satisfied"),
                        Detail(name: "not-satisfied", text: "found its condition {text} not satisfied"),
                        Detail(name: "failed", text: "could not evaluate its condition {text}"),
                    ])
            case .completedTwice:
                Self(
                    "completedTwice", "set again", .warning, "was set although it had ended",
                    details: [Detail(name: "tried"), Detail(name: "trapped")])
            case .held: Self("held", "held", .warning, "held by a gate")
            case .stepped: Self("stepped", "stepped", .warning, "let through by a gate")
            case .lost:
                Self("lost", "lost", .warning, "lost events", untasked: "events missing here: {count}", other: .number(key: "count"))
            case .mark:
                Self(
                    "mark", "mark", .note, "marked: {text}", untasked: "mark: {text}", label: .text,
                    details: [
                        Detail(), Detail(name: "name", text: "was given the name {text}"), Detail(name: "guide", text: "remark: {text}"),
                    ])
            case .cancellationAsked:
                Self(
                    "cancellationAsked", "cancel requested", .cancelled, "had its cancellation requested by {other}",
                    alone: "had its cancellation requested",
                    other: .task(key: "by", words: "cancellation requested"),
                    details: [
                        Detail(name: "unstated"), Detail(name: "called"),
                        Detail(
                            name: "inherited", text: "was cancelled with its parent by {other}",
                            textAlone: "was cancelled with its parent"),
                        Detail(name: "at-creation", text: "was created as cancelled", textAlone: "was created as cancelled"),
                        Detail(
                            name: "scope", text: "was cancelled at the end of its scope in {other}",
                            textAlone: "was cancelled at the end of its scope"),
                    ])
            case .memory: Self("memory", "memory", .minor, "has {count} bytes of memory", other: .number(key: "bytes"))
            case .cancellationSeen: Self("cancellationSeen", "saw cancel", .cancelled, "found that it is cancelled")
            case .choice:
                Self(
                    "choice", "choice", .minor, "could run next", other: .choice,
                    details: [
                        Detail(name: "first", text: "was chosen to run next: it came first"),
                        Detail(name: "instead", text: "was chosen to run next, although it did not come first"),
                        Detail(name: "passed-over", text: "came first and was not chosen to run next"),
                        Detail(name: "possible", text: "could have run next"),
                    ])
            case .adopted:
                Self(
                    "adopted", "was there", .minor, "was there before the probe was loaded, a child of {other}",
                    alone: "was there before the probe was loaded",
                    other: .task(key: "parent", words: "was there, as its child, before the probe was loaded"),
                    details: TaskKind.allCases.map { Detail(name: $0.name) })
            case .shielded:
                Self(
                    "shielded", "shield", .minor, "entered a cancellation shield",
                    details: [
                        Detail(name: "began"), Detail(name: "ended", text: "left its cancellation shield"),
                        Detail(name: "found", text: "was in a cancellation shield"),
                    ])
            }
    }
}
