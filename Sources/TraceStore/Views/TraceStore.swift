import TaskEvents
import TraceTransport

/// A trace as state: every task and every executor after the events applied so far.
///
/// Events enter through `apply`; all other members read. Not thread-safe: one thread folds and draws, and a ``TraceCollector`` hands over
/// batches from its own thread. Times are nanoseconds from the trace's start.
package final class TraceStore {
    /// The number of latest events that ``event(number:)`` and similar methods can return.
    private static let recentLimit = 262_144
    /// The number of events before a task's creation that are searched for others of the same task.
    private static let lateRecords = 1024

    /// The number of tasks and links that were read. Tests bound the work of a frame by it, because times differ between machines.
    let reads = ReadCount()
    /// The events that led to this state. It may contain later ones.
    private let history: any EventHistory
    /// The events applied to this store; nil if `history` has them already.
    private let retained: RetainedEvents?

    /// The order of ``executorIDs``, as far as it is known.
    var executorOrder = ExecutorOrder()
    var executorNames = ExecutorNames()

    /// The number of applied events. It is also the number of the last one; numbers start at 1.
    package private(set) var eventCount = 0

    /// Whether further events can follow. The code that feeds the store sets it. Moving a store to another time resets it.
    package var end = TraceEnd.open {
        didSet { if end != oldValue { version &+= 1 } }
    }

    /// What a look at the process from outside has shown. The code that feeds the store sets it.
    package var outside: OutsideView? {
        didSet { version &+= 1 }
    }

    /// Whether the program has ended and all its events have been applied.
    package var isOver: Bool { end == .exit }

    /// Changes with every `apply` and `advance`, so that caches can detect changes.
    package private(set) var version: UInt64 = 0

    // The last field, because its size changes most often: the build leaves files of other modules alone that read only fields before it.
    // Rules look up several tasks for each event, and the check for exclusive access would cost them a fifth of their time.
    @exclusivity(unchecked) var fold: Fold

    package convenience init(retention: Retention = Retention()) {
        let retained = RetainedEvents(limit: Self.recentLimit)
        self.init(retention: retention, version: 0, history: retained, retained: retained)
    }

    /// A store whose events are in `history`. Versions count from `version`, so two stores that alternate on one screen never share a
    /// version.
    convenience init(retention: Retention, version: UInt64, history: any EventHistory) {
        self.init(retention: retention, version: version, history: history, retained: nil)
    }

    private init(retention: Retention, version: UInt64, history: any EventHistory, retained: RetainedEvents?) {
        fold = Fold(retention: retention)
        self.version = version
        self.history = history
        self.retained = retained
    }

    /// The events of a live trace. From now on, at least the latest `limit` are kept; none if it is 0.
    @discardableResult
    package func keepEvents(_ limit: Int) -> any EventHistory {
        retained?.keep(limit)
        return history
    }

    /// The trace's names, sites, errors and executors. The caller of `apply` keeps them current.
    package var entries: EntryTable {
        get { fold.executors.entries }
        set {
            let known = fold.executors.entries.symbols.count
            var table = newValue
            table.takeOverBodies(of: fold.executors.entries)
            fold.executors.entries = table
            fold.executors.nameExecutors()
            if newValue.symbols.count != known { fold.tasks.callAfterHandlers(newValue) }
            executorOrder = ExecutorOrder()
        }
    }

    /// The routes by which events of Swift's own tasks reach the trace.
    package var swiftRoutes: TraceRoutes { fold.executors.entries.swiftRoutes }

    /// Whether the trace comes from snapshots: each task is in the state that the latest snapshot showed.
    package var isSampled: Bool { swiftRoutes.contains(.sampled) }

    /// The calls of a code entry that belong to the program, innermost first.
    package func calls(of code: EntryID) -> [CodeSymbol] { fold.executors.entries.calls(of: code) }

    /// The innermost of these calls that is the user's own.
    package func symbol(ofCall code: EntryID) -> CodeSymbol? { fold.executors.entries.symbol(ofCall: code) }

    /// The number of ended waits of tasks in these calls, and the longest one in nanoseconds.
    package func endedWaits(in code: EntryID) -> (count: Int, longest: UInt64) {
        let record = fold.tasks.waits[code.rawValue]
        return (Int(record.count), record.longest)
    }

    /// The time of the latest event.
    package var lastEvent: UInt64 { fold.eventTime }

    /// The number of searches for a hop that went through a task's hops from the earliest one on.
    package var longHopSearches: Int { fold.tasks.hops.longSearches }

    /// Whether a task in these calls reads a stream.
    package func readsStream(in code: EntryID) -> Bool { fold.executors.entries.readsStream(in: code) }

    /// Whether a task in these calls sleeps.
    package func sleeps(in code: EntryID) -> Bool { fold.executors.entries.sleeps(in: code) }

    /// The name of a condition; empty if it has none.
    package func conditionName(_ entry: EntryID) -> String {
        fold.executors.entries.label(entry)?.name ?? fold.executors.entries.text(entry)
    }

    /// The label of a task that its own code has given the name `name`, `.none` if it has not. A name from the task's creation comes first.
    /// Nil if the trace has neither.
    package func label(ofTask label: EntryID, named name: EntryID) -> Label? {
        let label = fold.executors.entries.label(ofTask: label)
        guard name != .none, label?.givenName == nil else { return label }
        return Label(name: fold.executors.entries.text(name), file: label?.file ?? "", line: label?.line ?? 0)
    }

    // MARK: Feeding

    /// Applies one event. `lane` is the lane of the event's thread.
    package func apply(_ event: TaskEvent, lane: Int = 0) {
        retained?.append(event, lane: UInt16(truncatingIfNeeded: lane))
        eventCount += 1
        withUnsafePointer(to: event) { fold.apply(EventReference(event: $0), lane: UInt16(truncatingIfNeeded: lane)) }
        version &+= 1
    }

    package func apply(_ events: some Sequence<TaskEvent>) {
        for event in events { apply(event) }
    }

    package func apply(_ batch: TraceBatch) {
        // The table only grows, and an event's entries are in it before the event is emitted.
        if let source = batch.source {
            let (known, symbols) = (fold.executors.entries.count, fold.executors.entries.symbols.count)
            source.copyEntries(to: &fold.executors.entries)
            if fold.executors.entries.count != known { fold.executors.nameExecutors() }
            if fold.executors.entries.symbols.count != symbols { fold.tasks.callAfterHandlers(fold.executors.entries) }
        }
        retained?.append(batch)
        eventCount += batch.events.count
        batch.events.withUnsafeBufferPointer { events in
            batch.lanes.withUnsafeBufferPointer { lanes in fold.apply(events, lanes: lanes) }
        }
        version &+= 1
    }

    /// Advances `now` while no events come, so that the durations of ongoing activities grow.
    package func advance(to time: UInt64) {
        guard time > fold.now else { return }
        fold.now = time
        version &+= 1
    }

    // MARK: Counts

    /// The time of the latest event, or the time the store was advanced to.
    package var now: UInt64 { fold.now }

    /// The number of events known to be missing.
    package var lostCount: UInt64 { fold.losses.events }

    /// The time at which the latest loss of events was noticed. The missing events are older. Nil if no events are known to be missing.
    package var lastLoss: UInt64? { fold.losses.last }

    /// Whether events of that time may be missing.
    package func hasLoss(from start: UInt64, until end: UInt64) -> Bool { fold.losses.touch(start...max(start, end)) }

    /// The number of events that the program emitted and that arrived. Together with ``lostCount``, all events that it emitted.
    package var toldCount: Int { eventCount - fold.losses.reports }

    /// The number of tasks whose jobs the program's gates hold.
    package var heldCount: Int { fold.executors.heldCount }

    /// The number of events of unknown kinds, or with impossible task ids.
    package var unreadableCount: Int { fold.unreadable }
    /// The number of choices that `hopscope explore` has made. 0 for a program that it did not run.
    package var choiceCount: Int { fold.choices }

    /// The number of tasks that were seen without their creation, including evicted ones.
    package var synthesisedCount: Int { fold.tasks.counts.synthesised }
    /// The number of those among them that were there before the probe was loaded.
    package var adoptedCount: Int { fold.tasks.counts.adopted }

    /// The number of evicted tasks.
    package var evictedCount: Int { fold.tasks.counts.evicted }

    /// The number of tasks ever seen, without those that a runtime made for itself.
    package var taskCount: Int { fold.tasks.counts.seen }

    /// The number of tasks that a runtime made for itself, such as those by which Swift's `Task.sleep` waits.
    package var internalCount: Int { fold.tasks.counts.internal }

    /// The number of tasks in the table.
    package var keptCount: Int { fold.tasks.records.count - keptBlockCount }

    /// The number of blocks ever seen, and of those that are no longer in the table.
    package var blockCount: Int { fold.tasks.counts.seenBlocks }
    package var evictedBlockCount: Int { fold.tasks.counts.evictedBlocks }
    package var keptBlockCount: Int { blockCount - evictedBlockCount }

    /// The number of tasks in `state`, without those that a runtime made for itself. Evicted tasks stay counted.
    package func count(of state: TaskState) -> Int {
        fold.tasks.counts.byState[Int(state.rawValue)]
    }

    /// The number of tasks, links and executors read from this store since it was made.
    package var readCount: Int { reads.count }

    /// Bytes of the tables for tasks, links and hops, including their free space. Names and recent events are not included.
    package var tableBytes: Int { fold.tableBytes }

    // MARK: Events

    /// The latest events that belong to a task or name it as their other task, oldest first.
    package func recentEvents(of id: TaskID, limit: Int) -> [NumberedEvent] {
        var found: [NumberedEvent] = []
        var number = eventCount
        // Before its creation, a task has only events whose records came late.
        var last = oldestEvent
        while number >= last, found.count < limit {
            let stretch = history.stretch(at: number)
            while number >= max(stretch.first, last), found.count < limit {
                let event = stretch.numbered(number)
                if event.event.isAbout(id) { found.append(event) }
                if event.event.task == id, event.event.kind == .created { last = max(last, number - Self.lateRecords) }
                number -= 1
            }
        }
        return found.reversed()
    }

    /// The event with this number, counted from 1, if it is among the latest 262,144.
    package func event(number: Int) -> NumberedEvent? {
        guard number >= oldestEvent, number <= eventCount else { return nil }
        return history.stretch(at: number).numbered(number)
    }

    /// The number of the oldest available event; one more than the latest number if there is none.
    package var oldestEvent: Int {
        min(max(history.numbers.lowerBound, eventCount - Self.recentLimit + 1), eventCount + 1)
    }

    /// Available events from `number` on, as many as are stored together; nil if the event `number` is not available.
    package func stretch(from number: Int) -> EventStretch? {
        guard number >= oldestEvent, number <= eventCount else { return nil }
        return history.stretch(at: number).limited(to: number..<eventCount + 1)
    }

    // MARK: Moving in time

    /// Replaces the state with `fold`, the state after the first `number` events of the history.
    func move(to fold: consuming Fold, number: Int) {
        let entries = self.fold.executors.entries
        self.fold = fold
        self.entries = entries
        eventCount = number
        outside = nil
        end = .open
        version &+= 1
    }

    /// Removes all state except the names.
    func empty() {
        let entries = self.fold.executors.entries
        fold = Fold(retention: fold.retention)
        self.entries = entries
        eventCount = 0
        end = .open
        version &+= 1
    }
}

/// An event with its number in the trace's merged order.
package struct NumberedEvent: Sendable {
    package var number: Int
    package var event: TaskEvent
    package var lane: Int
}

extension EventStretch {
    fileprivate func numbered(_ number: Int) -> NumberedEvent {
        NumberedEvent(number: number, event: events[number - first], lane: Int(lanes[number - first]))
    }
}

extension TaskEvent {
    /// Whether the event belongs to the task or names it as the other task.
    fileprivate func isAbout(_ id: TaskID) -> Bool {
        task == id || otherTask == id && kind.map { EventDescription[$0].concernsOther } == true
    }
}
