import TaskEvents
import TraceAnalysis
import TraceFile
import TraceStore

/// The errors of a trace, as the tasks in which they began, in order of their occurrence.
///
/// The header counts them and Faults lists them. The list follows the events frame by frame. If the events are too many or dropped, or if
/// the cursor has gone back, it scans all tasks once.
struct FaultList {
    /// The number of latest errors that each frame checks again. One of them may come from another error whose records arrive late.
    private static let unsure = 32
    /// The largest number of events that are examined one by one.
    private static let followLimit = 1 << 18

    /// The origins, oldest first. The store may have dropped some of them.
    private var origins: [TaskID] = []
    /// The index of the first origin that the store still has.
    private var first = 0
    private var candidates: [TaskID] = []
    /// The state that the list describes.
    private var known: (epoch: Int, eventCount: Int)?

    var count: Int { origins.count - first }

    /// The origin in a row. The newest has row 0.
    subscript(row: Int) -> TaskID { origins[origins.count - 1 - row] }

    /// The row of an error, searched from the newest.
    func row(of origin: TaskID) -> Int? {
        origins[first...].lastIndex(of: origin).map { origins.count - 1 - $0 }
    }

    mutating func bringUpToDate(_ history: TraceHistory) {
        let store = history.store
        if let known, known == (history.epoch, store.eventCount) { return }
        let faults = FaultAnalysis(store)
        if let known, known.epoch == history.epoch,
            let passed = history.passed(between: known.eventCount, and: store.eventCount, limit: Self.followLimit)
        {
            for event in passed.lazy.flatMap(\.events) where event.kind == .faulted { candidates.append(event.task) }
            // Some of the latest candidates may not have been origins yet.
            let doubtful = origins.suffix(min(Self.unsure, count))
            origins.removeLast(doubtful.count)
            origins += (doubtful + candidates).filter { store.task($0).map(faults.isOrigin) ?? false }
        } else {
            origins = store.count(of: .faulted) > 0 ? faults.origins() : []
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
