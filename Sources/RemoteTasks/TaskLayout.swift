/// Where the Swift runtime keeps what of a task, in bytes from the task's or the record's beginning. One row per version of the layout.
///
/// The version is the runtime's own `_swift_concurrency_debug_internal_layout_version`. A runtime of another version is not read, because its
/// words would be taken for something else. All rows are for 64-bit programs without priority escalation, which is every Linux.
struct TaskLayout: Sendable {
    let version: UInt32
    /// The releases of Swift that have it.
    let releases: String

    // The task, a heap object.
    let references = 8
    let nextInQueue = 16
    let jobFlags = 32
    let lowID = 36
    let resume = 56
    let context = 64
    let status = 96
    let records = 104
    let highID = 144
    let basePriority = 152
    let dependency = 160
    /// The bytes to read of a task.
    let headerSize = 168
    /// A child's fragment follows the task: its parent, the next child of the parent, and its group.
    let childGroup = 16
    /// The task's size where the runtime does not tell it.
    let assumedSize: UInt64

    // A status record.
    let recordKind = 0
    let outerRecord = 8
    let recordName = 16
    let dependencyValue = 16
    let dependencyExecutor = 24
    let dependencyKind = 32
    let dependencySize = 40
    let nameKind: UInt64 = 6

    // A default actor.
    let actorIsRemote = 16
    let actorFlags = 32
    let actorIncoming = 40
    let actorQueue = 64
    let actorSize = 72

    /// Before an asynchronous function has begun, its address stands this far before its context.
    let bodyBeforeContext: UInt64 = 24

    // The flags of a task's job.
    let isChild: UInt32 = 1 << 24
    let isGroupChild: UInt32 = 1 << 26
    let isAsyncLet: UInt32 = 1 << 28
    let isNamed: UInt32 = 1 << 30
    /// Bits that no task has: the kind of a job that is no task, and bits without a meaning.
    let neverSet: UInt32 = 0x80ff_00ff

    // The flags of its status.
    let isCancelled: UInt64 = 0x100
    let isRunning: UInt64 = 0x800
    let isEnqueued: UInt64 = 0x1000
    let isComplete: UInt64 = 0x2000
    let hasDependency: UInt64 = 0x4000

    /// The highest priority, `userInteractive`.
    let highestPriority: UInt32 = 0x21

    /// Set in the count of references while the task is being destroyed, unless the count is elsewhere.
    let isDestroyed: UInt64 = 1 << 32
    let countIsElsewhere: UInt64 = 1 << 63

    /// The kinds of metadata that stand first in those of jobs and of tasks.
    let jobMetadataKind: UInt64 = 0x503
    let taskMetadataKind: UInt64 = 0x502

    static let known = [TaskLayout(version: 1, releases: "6.1 to 6.4", assumedSize: 208)]

    /// The layout of a version, nil if this Hopscope does not know it. The top byte says how the current task is stored.
    static func of(version: UInt32) -> TaskLayout? {
        known.first { $0.version == version & 0xff_ffff }
    }
}

/// Where Swift's compiler keeps what of a class, in bytes. It is a part of the ABI, which has no versions.
enum ClassLayout {
    /// The kind of a class's metadata.
    static let kind: UInt64 = 0
    static let descriptor: UInt64 = 40
    static let descriptorSize = 12
    /// The parent of a descriptor and its name are relative.
    static let parent: UInt64 = 4
    static let name: UInt64 = 8
    /// The kinds of descriptors: below this one, only a module has a name.
    static let firstType: UInt32 = 16
    static let module: UInt32 = 0
    static let classKind: UInt32 = 16
    static let kindMask: UInt32 = 0x1f
    static let isActor: UInt32 = 1 << 23
    static let isDefaultActor: UInt32 = 1 << 24
}

/// Where the C library keeps a thread's number.
enum ThreadLayout {
    /// glibc's, in its control block.
    static let number: UInt64 = 0x2d0
    /// The bytes below the control block that hold the thread-local variables of the program and its libraries.
    static let variables = 8192
}
