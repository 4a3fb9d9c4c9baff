/// The offsets of a task's fields in the Swift runtime, in bytes from the beginning of the task or the record.
///
/// The version is the runtime's own `_swift_concurrency_debug_internal_layout_version`. It is a first guess, because fields have moved
/// without a new version, and versions have risen without a move. The tasks of a process prove that its runtime has this layout, or refute
/// it. ``LayoutProof`` finds the places of the fields that differ. All is for 64-bit programs without priority escalation, which Swift
/// lacks on Linux.
struct TaskLayout: Sendable {
    let version: UInt32
    /// The releases of Swift on which the tests have run.
    let releases: String

    // The fields of a task, which is a heap object.
    let references = 8
    let nextInQueue = 16
    let jobFlags = 32
    let lowID = 36
    /// A word that the runtime does not use. The probe stores the task's number in the trace in its lower bits, if that is not the
    /// runtime's own number.
    let reserved = 48
    let resume = 56
    let context = 64
    let status = 96
    let records = 104
    let firstSlab = 120
    /// Twice the number of allocated slabs, and 1 if a further slab, the first, is a part of the parent's memory.
    let slabCount = 128
    let highID = 144
    let basePriority = 152
    let dependency = 160
    /// The number of bytes to read of a task.
    let headerSize = 168
    /// The size of a task, where the runtime does not state it. A fragment follows the task of a child. It begins with the parent and with
    /// the parent's next child.
    let assumedSize: UInt64

    // A status record, which begins with its kind and the record outside of it.
    let recordName = 16
    let recordFirstChild = 16
    let dependencyValue = 16
    let dependencyExecutor = 24
    let dependencyKind = 32
    let dependencySize = 40
    let dependencyRecordKind: UInt64 = 0
    let childKind: UInt64 = 1
    let groupKind: UInt64 = 2
    let nameKind: UInt64 = 6

    // A slab, which holds frames of asynchronous functions.
    let nextSlab = 8
    let slabCapacity = 16
    /// The size of a slab without its capacity.
    let slabSize: UInt64 = 24

    // A default actor.
    let actorIsRemote = 16
    let actorFlags = 32
    let actorIncoming = 40
    let actorQueue = 64
    let actorSize = 72

    /// The distance before a function's context at which its address stands, until the asynchronous function begins.
    let bodyBeforeContext: UInt64 = 24

    // The flags of a task's job.
    let isChild: UInt32 = 1 << 24
    let isGroupChild: UInt32 = 1 << 26
    let isAsyncLet: UInt32 = 1 << 28
    let isNamed: UInt32 = 1 << 30
    /// Bits that no task has: the kind of a job that is no task, and bits without a meaning.
    let neverSet: UInt32 = 0x80ff_00ff

    // The flags of a task's status.
    let isCancelled: UInt64 = 0x100
    let isRunning: UInt64 = 0x800
    let isEnqueued: UInt64 = 0x1000
    let isComplete: UInt64 = 0x2000
    let hasDependency: UInt64 = 0x4000
    /// The bits of the status whose meaning is known: the priority, and the flags of Swift 6.2 and 6.3.
    let knownStatus: UInt64 = 0xfdff
    /// The flag of a task in a cancellation shield, in runtimes that have shields.
    let isShielded: UInt64 = 0x1_0000

    /// The highest priority, `userInteractive`.
    let highestPriority: UInt32 = 0x21

    /// This bit is set in the reference count while the task is being destroyed, unless the count is elsewhere.
    let isDestroyed: UInt64 = 1 << 32
    let countIsElsewhere: UInt64 = 1 << 63

    /// The first words of the metadata of jobs and of tasks.
    let jobMetadataKind: UInt64 = 0x503
    let taskMetadataKind: UInt64 = 0x502

    static let listed = TaskLayout(version: 1, releases: "6.2 and 6.3", assumedSize: 208)

    /// A group's record lies at most this far behind the group's beginning.
    static let mostToGroupRecord: UInt64 = 64

    /// The version without the top byte, which says how the runtime stores the current task.
    static func number(ofVersion version: UInt32) -> UInt32 { version & 0xff_ffff }
}

/// The offsets of a class's fields as Swift's compiler lays them out, in bytes. They are part of the ABI, which has no versions.
enum ClassLayout {
    /// The kind in a class's metadata.
    static let kind: UInt64 = 0
    static let descriptor: UInt64 = 40
    /// The pointers to a descriptor's parent and to its name are relative.
    static let parent: UInt64 = 4
    static let name: UInt64 = 8
    /// The kinds of descriptors. Of the kinds below this one, only a module has a name.
    static let firstType: UInt32 = 16
    static let module: UInt32 = 0
    static let classKind: UInt32 = 16
    static let kindMask: UInt32 = 0x1f
    static let isActor: UInt32 = 1 << 23
    static let isDefaultActor: UInt32 = 1 << 24
}

/// The offsets of a thread's data in the C library.
enum ThreadLayout {
    /// The offset of the thread's number in glibc's control block.
    static let number: UInt64 = 0x2d0
    /// The number of bytes below the control block that may hold thread-local variables, if the modules do not tell.
    static let variables = 8192
    /// Reads at most this many bytes of a thread's variables.
    static let mostVariables = 1 << 16
}
