import Synchronization
import TaskEvents
import TraceFile

/// The tables behind a ``TraceStore``, and what every event does to them. The transitions are in `Fold+….swift`.
///
/// A struct in one piece, so that the checks for exclusive access are paid once a batch and not once a field.
struct Fold: ~Copyable {
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
    var executors = NumberedStates<ExecutorState>()
    var lanes = NumberedStates<LaneState>()
    var jobs = JobHistory()
    var entries = EntryTable()
    /// The bytes of the tables' pages and of those that their copies have besides.
    let memory: PageMemory

    let retention: Retention
    /// The latest time of an event, and what that was moved on to while none came.
    var eventTime: UInt64 = 0
    var now: UInt64 = 0
    var lost: UInt64 = 0
    /// How many events only say that others were lost.
    var lossCount = 0
    /// Records of kinds that this version does not know, or about impossible tasks.
    var unreadable = 0
    var synthesised = 0
    var evicted = 0
    var taskCount = 0
    /// Tasks in the table that have ended or never will.
    var endedKept = 0
    /// Tasks whose jobs gates hold.
    var heldCount = 0
    var countByState: [7 of Int] = .init(repeating: 0)
    /// Chains that have ended and that nobody needs, by when they ended.
    var firstEnded: Int32 = -1
    var lastEnded: Int32 = -1
    /// Rows of the chain that is being evicted; empty at all other times, and kept because most chains are small.
    var evicting: [Int32] = []
    /// Is never used: what has an atomic value in it is passed by its address, where swiftc 6.3 would copy these 800 bytes for many a call.
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
    }

    /// Another fold in the same state, as of its last event, which shares the pages that neither writes to. It has no names: these only grow, so
    /// that whoever takes the copy has them already.
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
