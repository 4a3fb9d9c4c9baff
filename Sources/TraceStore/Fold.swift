import TaskEvents

/// The tables behind a ``TraceStore``, and what every event does to them. The transitions are in `Fold+….swift`.
///
/// A struct in one piece, so that the checks for exclusive access are paid once a batch and not once a field.
struct Fold: ~Copyable {
    var tasks = Pool<TaskRecord>()
    var extras = Pool<TaskExtra>()
    var courses = Pool<TaskCourse>()
    var links = Pool<LinkRecord>()
    /// Ids of antecedents that are not kept, for the links from them.
    var gone = Pool<UInt64>()
    var hops = Pool<HopRecord>()
    var readers = Pool<ReaderRecord>()
    var queued = Pool<QueuedNode>()
    var chains = Pool<ChainRecord>()
    var ids = IDMap()
    var ring = EventRing()
    var executors = ExecutorStates()
    var lanes: [LaneState] = []
    var entries = EntryTable()

    let retention: Retention
    var now: UInt64 = 0
    var lost: UInt64 = 0
    /// Records of kinds that this version does not know, or about impossible tasks.
    var unreadable = 0
    var synthesised = 0
    var evicted = 0
    var taskCount = 0
    /// Tasks in the table that have ended or never will.
    var endedKept = 0
    var countByState: [7 of Int] = .init(repeating: 0)
    /// Chains that have ended and that nobody needs, by when they ended.
    var firstEnded: Int32 = -1
    var lastEnded: Int32 = -1

    init(retention: Retention) {
        self.retention = retention
    }

    /// What an event changes; the list of recent events is not its business.
    @inline(__always)
    mutating func apply(_ event: TaskEvent, lane: UInt16) {
        let time = event.time
        if time > now { now = time }
        guard let kind = event.kind else {
            unreadable += 1
            return
        }
        switch kind {
        case .created: created(event)
        case .antecedent: addAntecedent(event)
        case .enqueued: enqueued(event)
        case .started: started(event, lane: lane)
        case .suspended: suspended(event)
        case .resumed: resumed(event)
        case .hopped: hopped(event)
        case .jobEnded: jobEnded(event, lane: lane)
        case .skipped: skipped(event)
        case .completed: end(event, as: .succeeded)
        case .faulted: end(event, as: .faulted)
        case .cancelled: end(event, as: .cancelled)
        case .errorRead: errorRead(event)
        case .released: released(event)
        case .cancellationAsked: cancellationAsked(event)
        case .thread: laneTaken(lane, by: event.other)
        case .lost:
            lost += event.other
            if lane != TraceBatch.noLane { interrupt(lane: lane) }
        case .waitBegan, .waitEnded, .condition, .completedTwice, .held, .stepped, .mark: break
        }
    }

    mutating func apply(_ events: UnsafeBufferPointer<TaskEvent>, lanes: UnsafeBufferPointer<UInt16>) {
        precondition(events.count == lanes.count, "\(events.count) events in \(lanes.count) lanes")
        ring.append(events, lanes: lanes)
        for index in events.indices { apply(events[index], lane: lanes[index]) }
    }
}
