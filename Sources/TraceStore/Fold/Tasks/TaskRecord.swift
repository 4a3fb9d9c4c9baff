import TaskEvents

/// The data that the store keeps of every task, in one cache line. ``TaskExtra`` holds the data that only some tasks have.
///
/// Times are nanoseconds after `created`, in 32 bits. A time longer than four seconds is in the extra.
struct TaskRecord: BitwiseCopyable {
    static var never: UInt32 { .max }
    static var long: UInt32 { .max - 1 }

    var id: UInt64
    /// The time of creation. While that is unknown, the earliest time seen of the task.
    var created: UInt64
    var queuedAfter = never
    var startedAfter = never
    var endedAfter = never
    var chain: Int32
    var label: UInt32 = 0
    /// A faulted task's error entry; a queued task's ``QueuedNode``.
    var errorOrNode: UInt32 = 0
    /// The last link to an antecedent. The links form a ring, so the last link leads to the first.
    var lastIn: Int32 = -1
    /// The last link to a successor, or -1.
    var lastOut: Int32 = -1
    var hops = TaskHops()
    /// The index of the task's ``TaskExtra``; -1 for none. If only a settled history is left, its index in ``StateHistories``, below -1.
    var extra: Int32 = -1
    var executor: UInt16 = 0
    var lane: UInt16 = 0
    /// The kind in the lower four bits, the priority in the upper four.
    private var kindAndPriority: UInt8 = 0
    var state: TaskState = .pending
    var flags: Flags

    struct Flags: OptionSet, BitwiseCopyable {
        var rawValue: UInt16

        static let isSynthesised = Flags(rawValue: 1 << 0)
        static let knowsCreated = Flags(rawValue: 1 << 1)
        static let isSkipped = Flags(rawValue: 1 << 2)
        static let isReadOutside = Flags(rawValue: 1 << 3)
        static let isReleased = Flags(rawValue: 1 << 4)
        static let startedInline = Flags(rawValue: 1 << 5)
        /// The job left a queue before its `enqueued` record arrived. That record is still to come.
        static let owesEnqueued = Flags(rawValue: 1 << 6)
        /// Later records show that the task left its queue. Its `started` record is still to come, or lost.
        static let owesStarted = Flags(rawValue: 1 << 8)
        /// Some of the task's antecedents are kept from eviction until the task ends.
        static let holdsAntecedents = Flags(rawValue: 1 << 7)
        /// The task has ended, or was released while pending. It no longer keeps its chain from eviction.
        static let isRetired = Flags(rawValue: 1 << 9)
        /// The task was asked to cancel.
        static let isAskedToStop = Flags(rawValue: 1 << 10)
        /// A gate holds the task's job in its queue.
        static let isHeld = Flags(rawValue: 1 << 11)
        /// The task runs, or ran, inline or in a slice. Its next suspension or end ends that run; no `jobEnded` follows.
        static let endsOwnRun = Flags(rawValue: 1 << 12)
        /// The last three bits hold the manner of a fault or a cancellation.
        static let mannerShift: UInt16 = 13
    }

    init(id: UInt64, created: UInt64, chain: Int32, flags: Flags) {
        self.id = id
        self.created = created
        self.chain = chain
        self.flags = flags
    }

    /// Whether one of the task's times is in its extra.
    var hasLongTime: Bool {
        queuedAfter == Self.long || startedAfter == Self.long || endedAfter == Self.long
    }

    /// Whether the task was there before the probe was loaded. Without its creation, nothing else tells the kind of a Swift task.
    var isAdopted: Bool { !flags.contains(.knowsCreated) && kind.isOfSwift }

    var kind: TaskKind {
        // A kind's raw value is its position, and only the setter writes these bits. `init(rawValue:)` is a call.
        get { unsafeBitCast(kindAndPriority & 15, to: TaskKind.self) }
        set { kindAndPriority = kindAndPriority & 0xF0 | newValue.rawValue & 15 }
    }

    var priority: JobPriority? {
        get { JobPriority(rawValue: kindAndPriority >> 4) }
        set { kindAndPriority = kindAndPriority & 15 | (newValue?.rawValue ?? 0) << 4 }
    }

    /// The manner of a fault or a cancellation: the event's `detail`.
    var manner: UInt8 {
        get { UInt8(flags.rawValue >> Flags.mannerShift) }
        set {
            let rest = flags.rawValue & (1 << Flags.mannerShift - 1)
            flags.rawValue = rest | UInt16(newValue & 7) << Flags.mannerShift
        }
    }
}

/// The data that only few tasks have.
struct TaskExtra: BitwiseCopyable {
    /// While the task is suspended, the task it waits for. After its end, the task that its error or cancellation came from, if not its
    /// first antecedent.
    var other: UInt64 = 0
    /// Times that are too long for the record.
    var queuedAfter: UInt64 = 0
    var startedAfter: UInt64 = 0
    var endedAfter: UInt64 = 0
    /// Two bits for each place in code where the task has suspended. Two places share both rarely.
    private var places: UInt64 = 0
    /// The last task that read the error. Readers form a ring.
    var lastReader: Int32 = -1
    /// The index in ``StateHistories`` of a task that suspended or was queued more than once; -1 for none.
    var history: Int32
    /// The index of the task's ``CancellationRecord``; -1 if no request to cancel it was recorded.
    var cancellation: Int32 = -1
    /// While the task is suspended, the entry of the awaited calls or of the condition. Afterwards, that of its last suspension.
    var awaited: UInt32 = 0
    /// The last task whose value this task awaited, and the last task that awaited this task's value. Each list is a ring; the counts are
    /// their lengths.
    var lastAwaited: Int32 = -1
    var lastAwaiter: Int32 = -1
    /// The last block or task that resumed this task, likewise. The tasks that a block resumed are its awaiters.
    var lastResumer: Int32 = -1
    var resumerCount: UInt16 = 0
    var awaitedCount: UInt16 = 0
    var awaiterCount: UInt16 = 0
    /// While the task is suspended, its ``SuspensionReason`` as a raw value.
    var suspension: UInt8 = 0
    /// Whether a successor was evicted before this failed task.
    var lacksSuccessor = false
    /// Whether the task has waited for something else, or made another task, since it took the value of the last task that it awaited.
    var hasGoneOn = false
    /// While the task is suspended, whether it has suspended at this place before.
    var isBack = false
    /// For an `async let` or a failed child of a group: what the trace shows of its scope's end.
    var scope = ScopeEnd.open
    /// The text entry of the name that the task's own code gave to it last; 0 for none.
    var name: UInt32 = 0
    /// Nanoseconds for which threads blocked while they ran the task's body.
    var blocked: UInt64 = 0
    /// While the task is live, the size of its memory in units of ``memoryUnit`` bytes; 0 if it is unknown.
    var memory: UInt32 = 0
    /// For a Swift task that ended with an error which other tasks had ended with before: the latest of those. 0 for none.
    var earlierCarrier: UInt32 = 0

    /// The runtime allocates memory in multiples of this size.
    static var memoryUnit: UInt64 { 16 }

    init(history: Int32) {
        self.history = history
    }

    /// Notes that the task suspends at a place in code, and whether it has suspended there before.
    mutating func noteSuspension(at place: EntryID) {
        // Entries of neighbouring places have neighbouring numbers. The product spreads them.
        let mixed = place.rawValue &* 0x9E37_79B1
        let bits: UInt64 = 1 << (mixed >> 26) | 1 << (mixed >> 20 & 63)
        isBack = places & bits == bits
        places |= bits
    }

    /// Whether the extra of an ended task holds nothing but long times and a history.
    var saysNothing: Bool {
        !lacksSuccessor && scope == .open && other == 0 && cancellation < 0 && blocked == 0 && lastReader < 0 && lastAwaited < 0
            && lastAwaiter < 0 && lastResumer < 0 && earlierCarrier == 0 && name == 0
    }
}

/// What the trace shows of the end of a structured task's scope. The scope of an `async let` cancels the task and waits for it, so a wait
/// of the parent after its request to cancel is the scope's and reads nothing. The scope of a group takes the outcomes that no code took.
package enum ScopeEnd: UInt8, BitwiseCopyable, Sendable {
    /// The scope has not ended, or the trace does not show it.
    case open
    /// The scope has ended, and no code had read the outcome.
    case left
    /// Something else had cancelled the task before the parent waited for it, so the wait is the program's or the scope's; or the child of
    /// a group had been cancelled before it failed.
    case unclear
}
