import Synchronization
import TaskEvents
import TraceFile

/// The tables of a ``TraceStore``, and the changes that each event makes to them. The transitions are in `Fold+….swift`.
///
/// The fold is one struct, so the checks for exclusive access cost once per batch and not once per field.
struct Fold: ~Copyable {
    // No field has a default value, so the compiler requires each one in `init(copying:)`.

    var tasks: Pool<TaskRecord>
    var extras: Pool<TaskExtra>
    var courses: Pool<TaskCourse>
    var settled: Pool<SettledCourse>
    var links: Pool<LinkRecord>
    /// Ids of antecedents that are not kept. Links from such antecedents refer to them.
    var gone: Pool<UInt64>
    var hops: Pool<HopRecord>
    var mentions: Pool<MentionRecord>
    var queued: Pool<QueuedNode>
    var chains: Pool<ChainRecord>
    var leaves: Pool<LeafNode>
    var ids: IDMap
    var executors: NumberedStates<ExecutorState>
    var lanes: NumberedStates<LaneState>
    var jobs: JobHistory
    /// Not copied, because only the latest state is drawn over time.
    var depthSteps: DepthSteps
    var entries: EntryTable
    /// Counts the bytes of the tables' pages, including pages that only copies of the tables have.
    let memory: PageMemory

    let retention: Retention
    /// The latest time of an event, and the latest time that the store was advanced to.
    var eventTime: UInt64
    var now: UInt64
    var lost: UInt64
    /// The time of the latest event that reports a loss.
    var lastLoss: UInt64?
    /// The number of events that only report the loss of others.
    var lossCount: Int
    /// The number of records of unknown kinds, or about impossible tasks.
    var unreadable: Int
    var synthesised: Int
    var evicted: Int
    var taskCount: Int
    /// The number of kept tasks that have ended or can no longer end.
    var endedKept: Int
    /// The number of tasks whose jobs a gate holds.
    var heldCount: Int
    var countByState: [7 of Int]
    /// The list of ended chains that no live task follows from, in the order of their ends.
    var firstEnded: Int32
    var lastEnded: Int32
    /// The list of evictable leaves.
    var firstLeaf: Int32
    var lastLeaf: Int32
    /// Work list of rows during an eviction, otherwise empty. It is a field to keep its memory, because most chains are small.
    var evicting: [Int32]
    /// Never used. A struct that contains an atomic is passed by address; without one, swiftc 6.3 copies these 800 bytes for many calls.
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
        leaves = Pool(memory: memory)
        ids = IDMap(memory: memory)
        executors = NumberedStates()
        lanes = NumberedStates()
        jobs = JobHistory()
        depthSteps = DepthSteps()
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
        firstLeaf = -1
        lastLeaf = -1
        evicting = []
    }

    /// Copies the state as of the last event. Copies share pages until one of them writes to a page. The copy has no names: the table of
    /// names only grows, so the copy's owner has them already. The copy may have another limit of the past from here on.
    init(copying other: borrowing Fold, retention: Retention? = nil) {
        self.retention = retention ?? other.retention
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
        leaves = other.leaves.copy()
        ids = other.ids.copy()
        executors = other.executors.copy()
        jobs = other.jobs
        depthSteps = DepthSteps()
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
        firstLeaf = other.firstLeaf
        lastLeaf = other.lastLeaf
        entries = EntryTable()
        evicting = []
    }

    mutating func apply(_ events: UnsafeBufferPointer<TaskEvent>, lanes: UnsafeBufferPointer<UInt16>) {
        precondition(events.count == lanes.count, "\(events.count) events in \(lanes.count) lanes")
        guard let firstEvent = events.baseAddress, let firstLane = lanes.baseAddress else { return }
        for index in 0..<events.count { apply(EventPlace(event: firstEvent + index), lane: firstLane[index]) }
    }

    /// Applies one event.
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
        case .memory: measured(event)
        case .thread: laneTaken(lane, by: event.other)
        case .lost:
            lost += event.other
            lastLoss = max(lastLoss ?? 0, time)
            lossCount += 1
            forgetQueues(until: time)
            if lane != TraceBatch.noLane {
                interrupt(lane: lane)
            } else if event.detail == LossManner.ofAnyLane.rawValue {
                for lane in lanes.used { interrupt(lane: lane) }
            }
        case .waitBegan: waitBegan(event, lane: lane)
        case .waitEnded: waitEnded(lane: lane)
        case .condition, .completedTwice, .mark: break
        case .held: held(event)
        case .stepped: stepped(event)
        }
    }
}

/// A reference to an event in its batch, which avoids copying the event from function to function. Valid while the batch is being applied.
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

/// The limit of the past that a store keeps.
package struct Retention: Hashable, Sendable {
    /// The number of kept tasks that have ended, or were released while pending. Above this number, ended chains are evicted, oldest end
    /// first. A chain is evicted as a whole, and never while a live task follows from it. Only structured children of Swift's tasks are
    /// evicted from a chain that goes on.
    package var endedTasks: Int

    /// Above this number of hops, a task with many hops forgets its earliest one with each new one, and only counts it. A task that lives
    /// as long as its program would otherwise need more and more memory.
    package var hops: Int

    /// - Parameter hops: four for each ended task if nil, and at least 65,536.
    package init(endedTasks: Int = 1_000_000, hops: Int? = nil) {
        self.endedTasks = endedTasks
        self.hops = hops ?? max(1 << 16, endedTasks > .max / 4 ? .max : endedTasks * 4)
    }
}
