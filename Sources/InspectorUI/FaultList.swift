import TaskEvents
import TraceAnalysis
import TraceStore

/// The errors of a trace, by the tasks in which they began, in the order in which they came.
///
/// It follows the events. Where the store has moved without them, to another time or by a recording that was opened, it goes through all
/// tasks once.
struct FaultList {
    /// The latest are looked at again with each frame: one may turn out to have come from another, whose records are late.
    private static let unsure = 32

    /// Oldest first; some may not be kept any more.
    private var origins: [TaskID] = []
    /// Those before it have been forgotten by the store.
    private var first = 0
    private var candidates: [TaskID] = []
    /// Events that the list knows of.
    private var eventCount = 0

    var count: Int { origins.count - first }

    /// The newest first.
    subscript(row: Int) -> TaskID { origins[origins.count - 1 - row] }

    /// Looked for from the newest.
    func row(of origin: TaskID) -> Int? {
        origins[first...].lastIndex(of: origin).map { origins.count - 1 - $0 }
    }

    mutating func note(_ events: [TaskEvent]) {
        eventCount += events.count
        for event in events where event.kind == .faulted { candidates.append(event.task) }
    }

    mutating func bringUpToDate(_ store: TraceStore) {
        let faults = FaultAnalysis(store)
        if eventCount != store.eventCount {
            origins = faults.origins()
            first = 0
            eventCount = store.eventCount
        } else {
            // Some of the latest may be candidates that were no origins yet.
            let doubtful = origins.suffix(min(Self.unsure, count))
            origins.removeLast(doubtful.count)
            origins += (doubtful + candidates).filter { store.task($0).map(faults.isOrigin) ?? false }
        }
        candidates.removeAll(keepingCapacity: true)
        while first < origins.count, store.row(of: origins[first]) == nil { first += 1 }
        if first > 4096, first > origins.count / 2 {
            origins.removeFirst(first)
            first = 0
        }
    }
}
