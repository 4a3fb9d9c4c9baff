import Synchronization
import TaskEvents
import TraceFile

/// The tables behind a ``TraceStore``, and what every event does to them. The transitions are in `Fold+….swift`.
///
/// A struct in one piece, so that the checks for exclusive access are paid once a batch and not once a field.
struct Fold: ~Copyable {
    // No field has a default value, so the compiler requires each one in `init(copying:)`.

    var tasks: Pool<TaskRecord>
    var extras: Pool<TaskExtra>
    var courses: Pool<TaskCourse>
    var settled: Pool<SettledCourse>
    var links: Pool<LinkRecord>
    /// Ids of antecedents that are not kept, for the links from them.
    var gone: Pool<UInt64>
    var hops: Pool<HopRecord>
    var mentions: Pool<MentionRecord>
    var queued: Pool<QueuedNode>
    var chains: Pool<ChainRecord>
    var ids: IDMap
    var executors: NumberedStates<ExecutorState>
    var lanes: NumberedStates<LaneState>
    var jobs: JobHistory
    var entries: EntryTable
    /// The bytes of the tables' pages and of those that their copies have besides.
    let memory: PageMemory

    let retention: Retention
    /// The latest time of an event, and what that was moved on to while none came.
    var eventTime: UInt64
    var now: UInt64
    var lost: UInt64
    /// The time of the latest event that tells of a loss.
    var lastLoss: UInt64?
    /// How many events only say that others were lost.
    var lossCount: Int
    /// Records of kinds that this version does not know, or about impossible tasks.
    var unreadable: Int
    var synthesised: Int
    var evicted: Int
    var taskCount: Int
    /// Tasks in the table that have ended or never will.
    var endedKept: Int
    /// Tasks whose jobs gates hold.
    var heldCount: Int
    var countByState: [7 of Int]
    /// Ended chains that no live task follows from, by when they ended.
    var firstEnded: Int32
    var lastEnded: Int32
    /// Rows of the chain that is being evicted; empty at all other times, and kept because most chains are small.
    var evicting: [Int32]
    /// Never used. A struct with an atomic in it is passed by address; without it, swiftc 6.3 copies these 800 bytes for many calls.
    private let place = Atomic(false)

    init(retention: Retention) {
        self.retention = retention
        memory = PageMemory()
        tasks = Pool(memory: memory)
        extras = Pool(memory: memory)
        courses = Pool(memory: memory)
        settled = Pool(memory: memory)
        links = Pool(memory: memory)
        gone = Pool(memory: memory)
        hops = Pool(memory: memory)
        mentions = Pool(memory: memory)
        queued = Pool(memory: memory)
        chains = Pool(memory: memory)
        ids = IDMap(memory: memory)
        executors = NumberedStates()
        lanes = NumberedStates()
        jobs = JobHistory()
        entries = EntryTable()
        eventTime = 0
        now = 0
        lost = 0
        lastLoss = nil
        lossCount = 0
        unreadable = 0
        synthesised = 0
        evicted = 0
        taskCount = 0
        endedKept = 0
        heldCount = 0
        countByState = .init(repeating: 0)
        firstEnded = -1
        lastEnded = -1
        evicting = []
    }

    /// A copy as of the last event, which shares the pages that neither of the two writes to. It has no names: the table of names only
    /// grows, so the copy's owner has them already.
    init(copying other: borrowing Fold) {
        retention = other.retention
        memory = other.memory
        tasks = other.tasks.copy()
        extras = other.extras.copy()
        courses = other.courses.copy()
        settled = other.settled.copy()
        links = other.links.copy()
        gone = other.gone.copy()
        hops = other.hops.copy()
        mentions = other.mentions.copy()
        queued = other.queued.copy()
        chains = other.chains.copy()
        ids = other.ids.copy()
        executors = other.executors.copy()
        jobs = other.jobs
        lanes = other.lanes.copy()
        eventTime = other.eventTime
        now = other.eventTime
        lost = other.lost
        lastLoss = other.lastLoss
        lossCount = other.lossCount
        unreadable = other.unreadable
        synthesised = other.synthesised
        evicted = other.evicted
        taskCount = other.taskCount
        endedKept = other.endedKept
        countByState = other.countByState
        heldCount = other.heldCount
        firstEnded = other.firstEnded
        lastEnded = other.lastEnded
        entries = EntryTable()
        evicting = []
    }

    mutating func apply(_ events: UnsafeBufferPointer<TaskEvent>, lanes: UnsafeBufferPointer<UInt16>) {
        precondition(events.count == lanes.count, "\(events.count) events in \(lanes.count) lanes")
        guard let firstEvent = events.baseAddress, let firstLane = lanes.baseAddress else { return }
        for index in 0..<events.count { apply(EventPlace(event: firstEvent + index), lane: firstLane[index]) }
    }

    /// What an event changes.
    @inline(__always)
    mutating func apply(_ event: EventPlace, lane: UInt16) {
        let time = event.time
        if time > eventTime {
            eventTime = time
            if time > now { now = time }
        }
        guard let kind = event.kind else {
            unreadable += 1
            return
        }
        switch kind {
        case .created: created(event)
        case .antecedent: addAntecedent(event)
        case .enqueued: enqueued(event)
        case .started: started(event, lane: lane)
        case .suspended: suspended(event, lane: lane)
        case .resumed: resumed(event, lane: lane)
        case .hopped: hopped(event, lane: lane)
        case .jobEnded: jobEnded(event, lane: lane)
        case .skipped: skipped(event)
        case .completed: end(event, as: .succeeded, lane: lane)
        case .faulted: end(event, as: .faulted, lane: lane)
        case .cancelled: end(event, as: .cancelled, lane: lane)
        case .errorRead: errorRead(event)
        case .released: released(event)
        case .cancellationAsked: cancellationAsked(event)
        case .thread: laneTaken(lane, by: event.other)
        case .lost:
            lost += event.other
            lastLoss = max(lastLoss ?? 0, time)
            lossCount += 1
            if lane != TraceBatch.noLane {
                interrupt(lane: lane)
            } else if event.detail == LossManner.ofAnyLane.rawValue {
                for lane in lanes.used { interrupt(lane: lane) }
            }
        case .waitBegan, .waitEnded, .condition, .completedTwice, .mark: break
        case .held: held(event)
        case .stepped: stepped(event)
        }
    }
}

/// An event where it stands in its batch: it is handed from function to function without being copied. Good while its batch is folded.
struct EventPlace {
    let event: UnsafePointer<TaskEvent>

    @inline(__always) var time: UInt64 { event.pointee.time }
    @inline(__always) var task: TaskID { event.pointee.task }
    @inline(__always) var other: UInt64 { event.pointee.other }
    @inline(__always) var executor: ExecutorID { event.pointee.executor }
    @inline(__always) var label: EntryID { event.pointee.label }
    @inline(__always) var detail: UInt8 { event.pointee.detail }
    @inline(__always) var kind: EventKind? { event.pointee.kind }
}

/// How much of the past a store keeps.
package struct Retention: Hashable, Sendable {
    /// Past this many tasks that have ended, or were let go of while pending, ended chains are forgotten: the one that ended first before
    /// the others, each as a whole, and none that a live task follows from.
    package var endedTasks: Int

    package init(endedTasks: Int = 1_000_000) {
        self.endedTasks = endedTasks
    }
}
