import TaskEvents
import TraceAnalysis
import TraceFile
import TraceStore

/// The errors of a trace, by the tasks in which they began, in the order in which they came.
///
/// It follows the events whenever it is asked. Where they are too many or forgotten, or the cursor has gone back, it looks at all tasks once.
struct FaultList {
    /// The latest are looked at again with each frame: one may turn out to have come from another, whose records are late.
    private static let unsure = 32
    /// Events that are looked through one by one.
    private static let followLimit = 1 << 18

    /// Oldest first; some may not be kept any more.
    private var origins: [TaskID] = []
    /// Those before it have been forgotten by the store.
    private var first = 0
    private var candidates: [TaskID] = []
    /// The state that the list is of.
    private var known: (epoch: Int, eventCount: Int)?

    var count: Int { origins.count - first }

    /// The newest first.
    subscript(row: Int) -> TaskID { origins[origins.count - 1 - row] }

    /// The row of an error, searched from the newest.
    func row(of origin: TaskID) -> Int? {
        origins[first...].lastIndex(of: origin).map { origins.count - 1 - $0 }
    }

    mutating func bringUpToDate(_ history: TraceHistory) {
        let store = history.store
        let faults = FaultAnalysis(store)
        if let known, known.epoch == history.epoch,
            let passed = history.passed(between: known.eventCount, and: store.eventCount, limit: Self.followLimit)
        {
            for event in passed.lazy.flatMap(\.events) where event.kind == .faulted { candidates.append(event.task) }
            // Some of the latest may be candidates that were no origins yet.
            let doubtful = origins.suffix(min(Self.unsure, count))
            origins.removeLast(doubtful.count)
            origins += (doubtful + candidates).filter { store.task($0).map(faults.isOrigin) ?? false }
        } else {
            origins = faults.origins()
            first = 0
        }
        known = (history.epoch, store.eventCount)
        candidates.removeAll(keepingCapacity: true)
        while first < origins.count, store.row(of: origins[first]) == nil { first += 1 }
        if first > 4096, first > origins.count / 2 {
            origins.removeFirst(first)
            first = 0
        }
    }
}
