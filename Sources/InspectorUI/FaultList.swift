import TaskEvents
import TraceAnalysis
import TraceFile
import TraceStore

/// The errors of a trace, as the tasks in which they began, in order of their occurrence.
///
/// The header counts them and Faults lists them. It follows the events frame by frame, and the cursor backwards. If the events are too many
/// or dropped, or dropped tasks come back, it scans all tasks once.
struct FaultList {
    /// The number of latest errors that each frame checks again. One of them may come from another error whose records arrive late.
    private static let unsure = 32
    /// The number of events before the cursor whose errors are checked again after a jump, for the same reason.
    private static let unsureEvents = 4096
    /// The largest number of events that are examined one by one.
    private static let followLimit = 1 << 18

    /// The origins, oldest first. The store may have dropped some of them.
    private var origins: [TaskID] = []
    /// The index of the first origin that the store still has.
    private var first = 0
    /// The state that the list describes.
    private var known: (epoch: Int, eventCount: Int, evictedCount: Int)?

    var count: Int { origins.count - first }

    /// The origin in a row. The newest has row 0.
    subscript(row: Int) -> TaskID { origins[origins.count - 1 - row] }

    /// The row of an error, searched from the newest.
    func row(of origin: TaskID) -> Int? {
        origins[first...].lastIndex(of: origin).map { origins.count - 1 - $0 }
    }

    mutating func bringUpToDate(_ history: TraceHistory) {
        let store = history.store
        let now = (history.epoch, store.eventCount, store.evictedCount)
        if let known, known == now { return }
        let faults = FaultAnalysis(store)
        if !follow(history, faults) {
            origins = store.count(of: .faulted) > 0 ? faults.origins() : []
            first = 0
        }
        known = now
        while first < origins.count, store.row(of: origins[first]) == nil { first += 1 }
        if first > 4096, first > origins.count / 2 {
            origins.removeFirst(first)
            first = 0
            isTrimmed = true
        }
    }

    /// Checks the errors of the events between the known state and the cursor. False if that does not lead to the state at the cursor.
    private mutating func follow(_ history: TraceHistory, _ faults: FaultAnalysis) -> Bool {
        let (store, cursor) = (history.store, history.position)
        guard let known, let passed = history.passed(between: known.eventCount, and: cursor, limit: Self.followLimit) else { return false }
        var unsure = Self.unsure
        var faulted: [TaskID] = []
        func take(_ stretches: [EventStretch]) {
            for event in stretches.lazy.flatMap(\.events) where event.kind == .faulted { faulted.append(event.task) }
        }
        if known.epoch != history.epoch {
            // Dropped tasks are in no event between.
            guard known.evictedCount == store.evictedCount else { return false }
            let from = max(history.firstPosition, min(known.eventCount, cursor) - Self.unsureEvents)
            take(history.passed(between: from, and: min(known.eventCount, cursor), limit: Self.unsureEvents) ?? [])
            unsure = Self.unsureEvents
        }
        take(passed)
        // The latest errors come last, so those of these events are among as many at the end, but for records that came late.
        let doubtful = origins.suffix(min(unsure + faulted.count, count))
        origins.removeLast(doubtful.count)
        let isFaulted = Set(faulted)
        origins += (doubtful.filter { !isFaulted.contains($0) } + faulted.uniqued()).filter { store.task($0).map(faults.isOrigin) ?? false }
        return true
    }
}

extension [TaskID] {
    /// Each task once, where it comes last.
    fileprivate func uniqued() -> [TaskID] {
        var seen: Set<TaskID> = []
        return reversed().filter { seen.insert($0).inserted }.reversed()
    }
}
