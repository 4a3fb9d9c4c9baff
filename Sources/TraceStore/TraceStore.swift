import TaskEvents
import TraceFile
import TraceTransport

/// A trace as state: every task, every executor, as the events so far leave them.
///
/// Events go in by `apply`; everything else reads. Not thread-safe: one thread folds and draws, and a ``TraceCollector`` hands over batches
/// from its own thread. Times are nanoseconds from the trace's start.
package final class TraceStore {
    /// Events that ``event(number:)`` and its like go back, at most.
    private static let recentLimit = 262_144

    var fold: Fold
    /// The events that led to this state, and maybe later ones.
    private let history: any EventHistory
    /// Where this store keeps the events that it is fed; nil if they are in a history that has them already.
    private let retained: RetainedEvents?

    /// Events applied; the last one has this number, the first has number 1.
    package private(set) var eventCount = 0

    /// Whether the program has ended and all its events have been applied, so that what has not happened never will. The code that feeds
    /// the store says so; a store that moves to another time is not over.
    package var isOver = false {
        didSet { if isOver != oldValue { version &+= 1 } }
    }

    /// Changes with every `apply` and `advance`: for caches.
    package private(set) var version: UInt64 = 0

    package convenience init(retention: Retention = Retention()) {
        let retained = RetainedEvents(limit: Self.recentLimit)
        self.init(retention: retention, version: 0, history: retained, retained: retained)
    }

    /// A store whose events are in `history`. Versions count from `version`: two stores that take turns on one screen have none in common.
    convenience init(retention: Retention, version: UInt64, history: any EventHistory) {
        self.init(retention: retention, version: version, history: history, retained: nil)
    }

    private init(retention: Retention, version: UInt64, history: any EventHistory, retained: RetainedEvents?) {
        fold = Fold(retention: retention)
        self.version = version
        self.history = history
        self.retained = retained
    }

    /// The events of a live trace, of which at least the latest `limit` are kept from now on.
    func keepEvents(_ limit: Int) -> any EventHistory {
        retained?.keep(limit)
        return history
    }

    /// The trace's names, sites, errors and executors. The caller of `apply` keeps them current.
    package var entries: EntryTable {
        get { fold.entries }
        set {
            fold.entries = newValue
            fold.nameExecutors()
        }
    }

    /// The routes by which the trace learns of Swift's tasks.
    package var swiftRoutes: TraceRoutes { fold.entries.swiftRoutes }

    /// The calls of a code entry that are the program's, the innermost first.
    package func calls(of code: EntryID) -> [CodeSymbol] { fold.entries.calls(of: code) }

    /// Whether a task that is in these calls sleeps.
    package func sleeps(in code: EntryID) -> Bool { fold.entries.sleeps(in: code) }

    /// The name of a condition by its entry; empty where it has none.
    package func conditionName(_ entry: EntryID) -> String { fold.entries.label(entry)?.name ?? fold.entries.text(entry) }

    // MARK: Feeding

    /// Applies one event; `lane` is the number of the thread's lane.
    package func apply(_ event: TaskEvent, lane: Int = 0) {
        retained?.append(event, lane: UInt16(truncatingIfNeeded: lane))
        eventCount += 1
        withUnsafePointer(to: event) { fold.apply(EventPlace(event: $0), lane: UInt16(truncatingIfNeeded: lane)) }
        version &+= 1
    }

    package func apply(_ events: some Sequence<TaskEvent>) {
        for event in events { apply(event) }
    }

    package func apply(_ batch: TraceBatch) {
        // The table only grows, and an event's entries were there before the event.
        if let source = batch.source {
            let known = fold.entries.count
            source.copyEntries(to: &fold.entries)
            if fold.entries.count != known { fold.nameExecutors() }
        }
        retained?.append(batch)
        eventCount += batch.events.count
        batch.events.withUnsafeBufferPointer { events in
            batch.lanes.withUnsafeBufferPointer { lanes in fold.apply(events, lanes: lanes) }
        }
        version &+= 1
    }

    /// Moves `now` on, for the durations of what goes on while no event comes.
    package func advance(to time: UInt64) {
        guard time > fold.now else { return }
        fold.now = time
        version &+= 1
    }

    // MARK: Counts

    /// The time of the latest event, or what it was advanced to.
    package var now: UInt64 { fold.now }

    /// Events that are known to be missing.
    package var lostCount: UInt64 { fold.lost }

    /// When the latest loss of events was noticed: what is missing happened before. Nil if nothing is known to be missing.
    package var lastLoss: UInt64? { fold.lastLoss }

    /// Events that the program emitted and that came here: with ``lostCount``, all that it emitted.
    package var toldCount: Int { eventCount - fold.lossCount }

    /// Tasks whose jobs the program's gates hold.
    package var heldCount: Int { fold.heldCount }

    /// Events of kinds that this version does not know, or about numbers that are no task's.
    package var unreadableCount: Int { fold.unreadable }

    /// Tasks that were seen without their creation, those forgotten since included.
    package var synthesisedCount: Int { fold.synthesised }

    /// Tasks that have been forgotten.
    package var evictedCount: Int { fold.evicted }

    /// Tasks ever seen.
    package var taskCount: Int { fold.taskCount }

    /// Tasks in the table.
    package var keptCount: Int { fold.tasks.count }

    /// Tasks in that state; ended ones stay counted after they have been forgotten.
    package func count(of state: TaskState) -> Int {
        fold.countByState[Int(state.rawValue)]
    }

    /// Tasks that have not ended.
    package var openCount: Int { TaskState.allCases.reduce(0) { $1.hasEnded ? $0 : $0 + count(of: $1) } }

    /// Bytes of the tables, with the room that they have left: what tasks, links and hops cost, names and recent events not included.
    package var tableBytes: Int { fold.tableBytes }

    // MARK: Tasks

    /// Nil for a task that was never seen or has been forgotten.
    package func row(of id: TaskID) -> TaskRow? {
        guard case .row(let row) = fold.ids.place(of: id.rawValue) else { return nil }
        return TaskRow(rawValue: row)
    }

    package subscript(row: TaskRow) -> TaskView {
        TaskView(store: self, row: row, record: fold.tasks.reading(row.rawValue))
    }

    /// The task with that id, if it is kept.
    package func task(_ id: TaskID) -> TaskView? {
        row(of: id).map { self[$0] }
    }

    /// All tasks in the table, by ascending id.
    package var rows: TaskRows { TaskRows(store: self, after: .none) }

    /// Those with greater ids than `id`.
    package func rows(after id: TaskID) -> TaskRows {
        TaskRows(store: self, after: id)
    }

    // MARK: Executors

    /// Those that a task asked for or that ran a job: main first, then by id.
    package var executors: [ExecutorView] {
        let views = fold.executors.used.sorted().compactMap { executor(ExecutorID(rawValue: $0)) }
        return views.filter { $0.kind == .main } + views.filter { $0.kind != .main }
    }

    /// Nil for an executor that the trace does not use.
    package func executor(_ id: ExecutorID) -> ExecutorView? {
        fold.executors.find(id.rawValue).map { ExecutorView(store: self, state: UnsafePointer($0)) }
    }

    /// An executor's name and kind; `executor 7` where the trace does not say.
    package func description(of id: ExecutorID) -> ExecutorDescription {
        fold.entries.executor(id) ?? ExecutorDescription(name: "executor \(id.rawValue)", kind: .custom)
    }

    /// The jobs that have ended.
    package var jobs: JobHistory { fold.jobs }

    // MARK: Threads and events

    /// The kernel's id of the thread that has a lane; nil while that is not known.
    package func thread(ofLane lane: Int) -> UInt64? {
        guard let number = UInt16(exactly: lane), let thread = fold.lanes.find(number)?.pointee.thread, thread != 0 else { return nil }
        return thread
    }

    /// The latest events, oldest first, that are about a task or name it as their other task.
    package func recentEvents(of id: TaskID, limit: Int) -> [NumberedEvent] {
        var found: [NumberedEvent] = []
        var number = eventCount
        while number >= oldestEvent, found.count < limit {
            let stretch = history.stretch(at: number)
            while number >= max(stretch.first, oldestEvent), found.count < limit {
                let event = stretch.numbered(number)
                if event.event.isAbout(id) { found.append(event) }
                number -= 1
            }
        }
        return found.reversed()
    }

    /// The event with that number, from 1, while it is among the latest 262,144.
    package func event(number: Int) -> NumberedEvent? {
        guard number >= oldestEvent, number <= eventCount else { return nil }
        return history.stretch(at: number).numbered(number)
    }

    /// The number of the oldest event that it has, one more than the latest if it has none.
    package var oldestEvent: Int {
        min(max(history.numbers.lowerBound, eventCount - Self.recentLimit + 1), eventCount + 1)
    }

    /// Events from that number on, as many as lie together; nil if the first is not among those that it has.
    package func stretch(from number: Int) -> EventStretch? {
        guard number >= oldestEvent, number <= eventCount else { return nil }
        return history.stretch(at: number).limited(to: number..<eventCount + 1)
    }

    // MARK: Going elsewhere in time

    /// Takes over a state that the first `number` events of the history have led to.
    func move(to fold: consuming Fold, number: Int) {
        let entries = self.fold.entries
        self.fold = fold
        self.entries = entries
        eventCount = number
        isOver = false
        version &+= 1
    }

    /// Forgets everything but the names.
    func empty() {
        let entries = self.fold.entries
        fold = Fold(retention: fold.retention)
        self.entries = entries
        eventCount = 0
        isOver = false
        version &+= 1
    }
}

/// An event with its number in the trace's one order.
package struct NumberedEvent: Sendable {
    package var number: Int
    package var event: TaskEvent
    package var lane: Int
}

/// Rows by ascending task id.
package struct TaskRows: Sequence, IteratorProtocol {
    private let store: TraceStore
    private var start: UInt64

    init(store: TraceStore, after id: TaskID) {
        self.store = store
        start = id.rawValue == .max ? .max : id.rawValue + 1
    }

    package mutating func next() -> TaskRow? {
        guard let (id, row) = store.fold.ids.next(from: start) else { return nil }
        start = id + 1
        return TaskRow(rawValue: row)
    }
}

extension EventStretch {
    fileprivate func numbered(_ number: Int) -> NumberedEvent {
        NumberedEvent(number: number, event: events[number - first], lane: Int(lanes[number - first]))
    }
}

extension TaskEvent {
    /// Whether the event concerns a task: its own, or one where it is the other.
    fileprivate func isAbout(_ id: TaskID) -> Bool {
        task == id || otherTask == id && kind.map { EventDescription[$0].concernsOther } == true
    }
}
