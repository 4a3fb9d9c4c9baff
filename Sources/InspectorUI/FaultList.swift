import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTransport

/// The errors of a trace, as the tasks in which they began, in order of their occurrence.
///
/// The header counts them and Faults lists them. It follows the events frame by frame, forwards and back. If the events are too many or
/// dropped, it scans all tasks once.
struct FaultList {
    /// The number of latest errors that each frame checks again. One of them may come from another error whose records arrive late.
    private static let unsure = 32
    /// The largest number of events that are examined one by one.
    private static let followLimit = 1 << 18

    /// The origins, oldest first. The store may have dropped some of them.
    private var origins: [TaskID] = []
    /// The index of the first origin that the store still has.
    private var first = 0
    /// Whether the list has forgotten errors that the store has dropped.
    private var isTrimmed = false
    /// The state that the list describes.
    private var known: (epoch: Int, eventCount: Int)?
    private var wasAtLatest = false
    /// The errors of the latest state, while the cursor is at an earlier one.
    private var latest: Kept?
    /// The number of times that all tasks were examined.
    private(set) var scanCount = 0

    private struct Kept {
        var origins: [TaskID]
        var first: Int
        var eventCount: Int
    }

    var count: Int { origins.count - first }

    /// The origin in a row. The newest has row 0.
    subscript(row: Int) -> TaskID { origins[origins.count - 1 - row] }

    mutating func bringUpToDate(_ history: TraceHistory) {
        let position = history.store.eventCount
        if let known, known == (history.epoch, position) { return }
        if wasAtLatest, !history.isAtLatest, let known { latest = Kept(origins: origins, first: first, eventCount: known.eventCount) }
        let from = known?.eventCount
        if !(from.map { follow(history, from: $0) } ?? false), !returnToLatest(history) { scan(history.store) }
        if history.isAtLatest { latest = nil }
        wasAtLatest = history.isAtLatest
        known = (history.epoch, position)
        first = min(first, origins.count)
        while first < origins.count, history.store.row(of: origins[first]) == nil { first += 1 }
        if first > 4096, first > origins.count / 2 {
            origins.removeFirst(first)
            first = 0
            isTrimmed = true
        }
    }

    /// Goes from the state after `number` events to the cursor's, forwards or back. False if there are too many events in between, or if an
    /// error that the list no longer has may be kept in the earlier state.
    private mutating func follow(_ history: TraceHistory, from number: Int) -> Bool {
        let store = history.store
        guard let passed = history.passed(between: number, and: store.eventCount, limit: Self.followLimit) else { return false }
        let faulted = passed.lazy.flatMap(\.events).filter { $0.kind == .faulted }.map(\.task)
        if store.eventCount >= number {
            recheck(min(Self.unsure, count), adding: Array(faulted), store)
            return true
        }
        // Errors are in the order of their occurrence, so those that have not occurred yet are the last ones.
        recheck(min(faulted.count + Self.unsure, count), adding: [], store)
        while first > 0, store.row(of: origins[first - 1]) != nil { first -= 1 }
        return first > 0 || !isTrimmed
    }

    /// Checks the latest errors again, because some candidates may not have been origins yet, and adds others.
    private mutating func recheck(_ count: Int, adding candidates: [TaskID], _ store: TraceStore) {
        let faults = FaultAnalysis(store)
        let doubtful = Array(origins.suffix(count))
        origins.removeLast(doubtful.count)
        origins += (doubtful + candidates).filter { store.task($0).map(faults.isOrigin) ?? false }
    }

    /// Goes back to the latest state, whose errors were kept when the cursor left it.
    private mutating func returnToLatest(_ history: TraceHistory) -> Bool {
        guard history.isAtLatest, let kept = latest else { return false }
        (origins, first) = (kept.origins, kept.first)
        return follow(history, from: kept.eventCount)
    }

    private mutating func scan(_ store: TraceStore) {
        scanCount += 1
        origins = store.count(of: .faulted) > 0 ? FaultAnalysis(store).origins() : []
        first = 0
        isTrimmed = false
    }
}
