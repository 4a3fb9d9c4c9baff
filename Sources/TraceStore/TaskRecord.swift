import TaskEvents

/// What the store keeps of every task: one cache line. What only some tasks have is in ``TaskExtra``.
///
/// Times are nanoseconds after `created`, in 32 bits; one that is longer than four seconds is in the extra.
struct TaskRecord: BitwiseCopyable {
    static var never: UInt32 { .max }
    static var long: UInt32 { .max - 1 }

    var id: UInt64
    /// When it was created; while that is not known, the earliest time seen of it.
    var created: UInt64
    var queuedAfter = never
    var startedAfter = never
    var endedAfter = never
    var chain: Int32
    var label: UInt32 = 0
    /// Of a faulted task its error's entry; of a queued one its ``QueuedNode``.
    var errorOrNode: UInt32 = 0
    /// The last link to an antecedent; the links are a ring, so that it knows the first as well.
    var lastIn: Int32 = -1
    /// The last link to a successor, or -1.
    var lastOut: Int32 = -1
    var hops = TaskHops()
    /// Its ``TaskExtra``; where only a settled course is left of that, the course's place, less than -1.
    var extra: Int32 = -1
    var executor: UInt16 = 0
    var lane: UInt16 = 0
    /// The kind in the lower half, the priority in the upper.
    private var kindAndPriority: UInt8 = 0
    var state: TaskState = .pending
    var marks: Marks

    struct Marks: OptionSet, BitwiseCopyable {
        var rawValue: UInt16

        static let isSynthesised = Marks(rawValue: 1 << 0)
        static let knowsCreated = Marks(rawValue: 1 << 1)
        static let isSkipped = Marks(rawValue: 1 << 2)
        static let isReadOutside = Marks(rawValue: 1 << 3)
        static let isReleased = Marks(rawValue: 1 << 4)
        static let startedInline = Marks(rawValue: 1 << 5)
        /// It was taken from a queue before the record said that it was put there: that one is on its way.
        static let owesEnqueued = Marks(rawValue: 1 << 6)
        /// It has left a queue by what followed; the record that says so is on its way, or lost.
        static let owesStarted = Marks(rawValue: 1 << 8)
        /// Some of its antecedents are kept from eviction until it ends.
        static let holdsAntecedents = Marks(rawValue: 1 << 7)
        /// It has ended, or been let go of while it was pending: its chain does not wait for it.
        static let hasLeft = Marks(rawValue: 1 << 9)
        /// It was asked to stop.
        static let isAskedToStop = Marks(rawValue: 1 << 10)
        /// A gate holds its job: it is in the queue until the gate lets it through.
        static let isHeld = Marks(rawValue: 1 << 11)
        /// It runs inline or in a slice, or has: what it does next ends that, and no `jobEnded`.
        static let endsOwnRun = Marks(rawValue: 1 << 12)
        /// The last three bits say how it faulted or was cancelled.
        static let mannerShift: UInt16 = 13
    }

    init(id: UInt64, created: UInt64, chain: Int32, marks: Marks) {
        self.id = id
        self.created = created
        self.chain = chain
        self.marks = marks
    }

    /// Whether one of its times is in its extra.
    var hasLongTime: Bool {
        queuedAfter == Self.long || startedAfter == Self.long || endedAfter == Self.long
    }

    var kind: TaskKind {
        get { TaskKind(rawValue: kindAndPriority & 15) ?? .root }
        set { kindAndPriority = kindAndPriority & 0xF0 | newValue.rawValue & 15 }
    }

    var priority: JobPriority? {
        get { JobPriority(rawValue: kindAndPriority >> 4) }
        set { kindAndPriority = kindAndPriority & 15 | (newValue?.rawValue ?? 0) << 4 }
    }

    /// How it faulted or was cancelled, as the event's detail has it.
    var manner: UInt8 {
        get { UInt8(marks.rawValue >> Marks.mannerShift) }
        set {
            let rest = marks.rawValue & (1 << Marks.mannerShift - 1)
            marks.rawValue = rest | UInt16(newValue & 7) << Marks.mannerShift
        }
    }
}

/// What few tasks have.
struct TaskExtra: BitwiseCopyable {
    /// While suspended the task it waits for; once ended the one its error or cancellation came from, if not its first antecedent.
    var other: UInt64 = 0
    /// Times too long for the record.
    var queuedAfter: UInt64 = 0
    var startedAfter: UInt64 = 0
    var endedAfter: UInt64 = 0
    /// The last task that read its error; they form a ring.
    var lastReader: Int32 = -1
    /// Of a task that is suspended, or taken from a queue more than once; less than -1 once it is settled.
    var course: Int32
    /// The task that asked it to stop.
    var asker: UInt64 = 0
    /// While suspended the calls that it awaits, or the condition.
    var awaited: UInt32 = 0
    /// The last of the tasks whose values it awaited, and of those that awaited its value, each in a ring, and how many there are.
    var lastAwaited: Int32 = -1
    var lastAwaiter: Int32 = -1
    var awaitedCount: UInt16 = 0
    var awaiterCount: UInt16 = 0
    /// While suspended: why, as the event's detail has it.
    var suspension: UInt8 = 0

    init(course: Int32) {
        self.course = course
    }

    /// Whether all that is to be known of a task that has ended stands elsewhere, its long times aside.
    var saysNothing: Bool {
        other == 0 && asker == 0 && lastReader < 0 && lastAwaited < 0 && lastAwaiter < 0
    }
}

/// A link from an antecedent to what follows from it.
struct LinkRecord: BitwiseCopyable {
    /// Of an antecedent that is forgotten together with what follows from it.
    static var nobody: Int32 { .min }
    private static var innerBit: Int32 { 1 << 30 }
    private static var holdBit: Int32 { 1 << 29 }

    /// The antecedent's row; of one that is not kept, the complement of where its id is.
    var from: Int32
    private var toBits: Int32
    var nextIn: Int32 = -1
    /// Both -1 where the antecedent is not kept.
    var nextOut: Int32 = -1
    var previousOut: Int32 = -1

    init(from: Int32, to: Int32, isInner: Bool) {
        self.from = from
        toBits = isInner ? to | Self.innerBit : to
    }

    var to: Int32 { toBits & (Self.holdBit - 1) }
    var isInner: Bool { toBits & Self.innerBit != 0 }

    /// Whether it keeps the antecedent's chain from eviction.
    var isHolding: Bool {
        get { toBits & Self.holdBit != 0 }
        set { toBits = newValue ? toBits | Self.holdBit : toBits & ~Self.holdBit }
    }
}

/// A task in another's list: one that read its error, whose value it awaited, or that awaited its own.
struct MentionRecord: BitwiseCopyable {
    var id: UInt64
    var next: Int32 = -1
}

/// A task's place in an executor's queue.
struct QueuedNode: BitwiseCopyable {
    var row: Int32
    var previous: Int32 = -1
    var next: Int32 = -1
    var executor: UInt16
    var since: UInt64
}

/// A chain, and its place among those that have ended.
struct ChainRecord: BitwiseCopyable {
    static var unlisted: Int32 { -2 }

    /// The row of the task that it begins with.
    var first: Int32
    /// Tasks of it that have not ended but still can, and links from its tasks to live tasks of other chains: while there are any, it
    /// stays.
    var needs: Int32 = 1
    var previousEnded = unlisted
    var nextEnded: Int32 = -1
}
