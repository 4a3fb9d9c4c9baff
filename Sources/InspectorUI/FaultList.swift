import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTransport

/// The errors up to the cursor, as the tasks in which they began, in order of their occurrence.
///
/// The header counts them and Faults lists them. It always follows the latest state's events, wherever the cursor is, and remembers the
/// number of each error's event. Thus a jump through time takes the errors up to an event from the list, and examines only the last ones.
struct FaultList {
    /// The largest number of events that are examined one by one to bring the list of an earlier moment to another moment.
    private static let followLimit = 1 << 18

    /// The errors of the latest state.
    private var latest = FaultLog()
    /// The errors at the cursor, while it is at an earlier state.
    private var past: FaultLog?
    /// The state that the list describes.
    private var known: (epoch: Int, eventCount: Int, latest: Int)?
    /// The number of times that all tasks were examined.
    private(set) var scanCount = 0

    var count: Int { past?.count ?? latest.count }

    /// The origin in a row. The newest has row 0.
    subscript(row: Int) -> TaskID { past?[row] ?? latest[row] }

    mutating func bringUpToDate(_ history: TraceHistory) {
        let state = (history.epoch, history.store.eventCount, history.latest.eventCount)
        if let known, known == state { return }
        if !latest.follow(history, until: history.latest.eventCount, in: history.latest, limit: .max) {
            scanCount += 1
            latest = FaultLog(scanning: history)
        }
        latest.forgetEvicted(before: history.firstPosition, history.latest)
        // While the cursor stays where it is, only the latest state changes.
        let hasStayed = past != nil && known.map { ($0.epoch, $0.eventCount) == (state.0, state.1) } ?? false
        if history.isAtLatest { past = nil } else if !hasStayed { goToCursor(history) }
        known = state
    }

    /// Goes from the list of the last moment to that of the cursor's if they are near, and otherwise from that of the latest state.
    private mutating func goToCursor(_ history: TraceHistory) {
        let position = history.store.eventCount
        if past?.position ?? 0 < position {
            if past?.follow(history, until: position, in: history.store, limit: Self.followLimit) == true { return }
            past = latest
        }
        past?.goBack(to: position, history)
    }
}

/// The errors of one state of a trace, oldest first, each with the number of its event.
private struct FaultLog {
    /// The number of last errors that are examined again in another state. One of them may come from another error whose records arrive
    /// late.
    private static let unsure = 32
    /// The largest number of events that are read again after a jump.
    private static let window = 1 << 16
    /// The number of dropped errors from which the log forgets them.
    private static let spare = 4096

    private struct Origin {
        var task: TaskID
        /// The number of the event by which the task failed. 0 for one that was forgotten before the log began.
        var number: Int
    }

    /// The store may have dropped some of the tasks.
    private var origins: [Origin] = []
    /// The index of the first origin that the store still has.
    private var first = 0
    /// The number of events that the log includes.
    private(set) var position = 0
    /// How many origins had been dropped by which event. An earlier moment still shows them.
    private var drops: [(count: Int, position: Int)] = []

    init() {}

    /// Examines all tasks of the latest state, because events that they failed by are forgotten.
    init(scanning history: TraceHistory) {
        let store = history.latest
        position = store.eventCount
        guard store.count(of: .faulted) > 0 else { return }
        var numbers: [TaskID: Int] = [:]
        history.forEachFault(after: history.firstKept - 1, until: position) { numbers[$0] = $1 }
        origins = FaultAnalysis(store).origins().map { Origin(task: $0, number: numbers[$0] ?? 0) }
    }

    var count: Int { origins.count - first }

    subscript(row: Int) -> TaskID { origins[origins.count - 1 - row].task }

    /// Takes the errors up to the event `end`. False if there are too many events in between, or if some are forgotten.
    mutating func follow(_ history: TraceHistory, until end: Int, in store: TraceStore, limit: Int) -> Bool {
        guard end - position <= limit, position == end || position + 1 >= history.firstKept else { return false }
        var faulted: [Origin] = []
        history.forEachFault(after: position, until: end) { faulted.append(Origin(task: $0, number: $1)) }
        position = end
        recheck(adding: faulted, store)
        return true
    }

    /// Goes back to the cursor, which is after the event `end`.
    mutating func goBack(to end: Int, _ history: TraceHistory) {
        position = end
        // The events are nearly in the order of the list.
        let next = origins.partitioningIndex { $0.number > end }
        origins.removeLast(origins.count - next)
        // An error of this state may have become a part of an earlier one, so the last events may tell of more errors than the list.
        let doubtful = origins.count > Self.unsure ? origins[origins.count - Self.unsure].number - 1 : 0
        let start = max(doubtful, end - Self.window, history.firstKept - 1)
        var failed: [Origin] = []
        history.forEachFault(after: start, until: end) { failed.append(Origin(task: $0, number: $1)) }
        while let last = origins.last, last.number > start { origins.removeLast() }
        recheck(adding: failed, history.store)
    }

    /// Examines the last errors again, because some may not have been origins yet, and adds others.
    private mutating func recheck(adding candidates: [Origin], _ store: TraceStore) {
        let faults = FaultAnalysis(store)
        let doubtful = Array(origins.suffix(Self.unsure))
        origins.removeLast(doubtful.count)
        // One that the store has dropped meanwhile stays: an earlier moment shows it.
        origins += doubtful.filter { store.task($0.task).map(faults.isOrigin) ?? true }
        origins += candidates.filter { store.task($0.task).map(faults.isOrigin) ?? false }
        findFirst(store)
    }

    private mutating func findFirst(_ store: TraceStore) {
        first = min(first, origins.count)
        while first > 0, store.row(of: origins[first - 1].task) != nil { first -= 1 }
        while first < origins.count, store.row(of: origins[first].task) == nil { first += 1 }
    }

    /// Forgets errors that the cursor cannot go back to: the store dropped them before the first moment that can be shown.
    mutating func forgetEvicted(before position: Int, _ store: TraceStore) {
        if first >= (drops.last?.count ?? 0) + Self.spare { drops.append((first, store.eventCount)) }
        guard let gone = drops.lastIndex(where: { $0.position <= position }) else { return }
        let count = drops[gone].count
        guard count > origins.count / 2 else { return }
        origins.removeFirst(count)
        first -= count
        drops.removeFirst(gone + 1)
        for index in drops.indices { drops[index].count -= count }
    }
}

extension TraceHistory {
    /// Calls `body` with each task that failed between two positions, and the number of the event. Far from each other, it reads only
    /// stretches with such events.
    fileprivate func forEachFault(after one: Int, until other: Int, _ body: (TaskID, Int) -> Void) {
        if let passed = passed(between: one, and: other, limit: 1 << 17) {
            for stretch in passed {
                for (index, event) in stretch.events.enumerated() where event.kind == .faulted { body(event.task, stretch.first + index) }
            }
            return
        }
        var next = one + 1
        while next <= other, let (numbers, events) = stretch(at: next, withAny: EventKinds(.faulted)) {
            let end = min(numbers.upperBound, other + 1)
            if let events {
                for number in next..<end where events.events[number - events.first].kind == .faulted {
                    body(events.events[number - events.first].task, number)
                }
            }
            next = end
        }
    }
}
