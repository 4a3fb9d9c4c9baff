import TaskEvents
import TraceStore
import TraceTransport

/// The tasks that were asked to cancel, or that ended as cancelled. It follows the events, so that an update need not pass over all tasks.
struct CancelledTasks {
    /// The largest number of events that are examined one by one.
    private static let followLimit = 1 << 18

    /// Each once. The store may have dropped some of them, and others may not be cancelled at an earlier event.
    private(set) var ids: [TaskID] = []
    private var known: Set<TaskID> = []
    /// The number of events before the state that it describes.
    private var position: Int?
    /// The number of tasks at which those that the store has dropped are forgotten.
    private var trimCount = leastTrimCount
    private static let leastTrimCount = 4096
    /// The number of times that all tasks were examined.
    private(set) var scanCount = 0

    mutating func bringUpToDate(_ history: TraceHistory) {
        let store = history.store
        if !follow(history, to: store.eventCount) { scan(store) }
        position = store.eventCount
    }

    /// False if the state is an earlier one, which can have tasks that the store has dropped since, or if too many events lie between.
    private mutating func follow(_ history: TraceHistory, to end: Int) -> Bool {
        guard let position, position <= end, let passed = history.passed(between: position, and: end, limit: Self.followLimit) else {
            return false
        }
        for stretch in passed {
            for event in stretch.events where event.kind == .cancellationAsked || event.kind == .cancelled { add(event.task) }
        }
        if ids.count > trimCount { trim(to: history.store) }
        return true
    }

    private mutating func scan(_ store: TraceStore) {
        scanCount += 1
        (ids, known) = ([], [])
        for row in store.rows where store[row].isAskedToStop || store[row].state == .cancelled { add(store[row].id) }
    }

    private mutating func trim(to store: TraceStore) {
        ids.removeAll { store.row(of: $0) == nil }
        known = Set(ids)
        trimCount = max(Self.leastTrimCount, ids.count * 2)
    }

    private mutating func add(_ task: TaskID) {
        if known.insert(task).inserted { ids.append(task) }
    }
}
