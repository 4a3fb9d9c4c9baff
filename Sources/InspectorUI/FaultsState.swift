import TaskEvents
import TraceAnalysis
import TraceStore

/// The user's choices on the Faults screen, the errors there are, and the path of the one that is looked at.
package struct FaultsState {
    /// Steps of the path that is shown, at most.
    static let stepLimit = 16_384
    /// Steps that are looked at for a verdict in the list.
    static let verdictLimit = 1024
    /// Verdicts that a frame works out.
    static let verdictsPerFrame = 16
    /// Nanoseconds between two looks at what may have changed.
    static let pause: UInt64 = 250_000_000

    var list = FaultList()
    /// The error that was selected, by its origin; nil to stay with the newest.
    package internal(set) var selection: TaskID?
    /// The step of the path that the user is at; nil before the first.
    package internal(set) var step: Int?
    package internal(set) var path: FaultPath?
    var window = ListWindow()
    /// The first step in sight.
    var stepWindow = ListWindow()
    private var verdicts: [TaskID: Known] = [:]
    private var pathFoundAt: (eventCount: Int, time: UInt64)?
    private(set) var isBusy = false

    private struct Known {
        var verdict: Verdict
        var isPartial: Bool
        var eventCount: Int
        var time: UInt64
    }

    /// The error whose path is shown.
    var origin: TaskID? {
        selection ?? (list.count > 0 ? list[0] : nil)
    }

    var row: Int? { origin.flatMap(list.row) }

    func verdict(of origin: TaskID) -> (verdict: Verdict, isPartial: Bool)? {
        verdicts[origin].map { ($0.verdict, $0.isPartial) }
    }

    /// The state is that of another time: everything is looked for again.
    mutating func restart() {
        list = FaultList()
        verdicts.removeAll()
        pathFoundAt = nil
    }

    /// Brings list, path and the verdicts in sight up to date.
    mutating func arrange(_ store: TraceStore, height: Int, at now: UInt64) {
        // The selected error keeps its line of the screen while others come in above it.
        let line = selection.flatMap(list.row).map { $0 - window.top }
        list.bringUpToDate(store)
        if let line, (0..<height).contains(line), let row = selection.flatMap(list.row) {
            window.setTop(row - line, count: list.count, height: height)
        } else {
            window.setTop(window.top, count: list.count, height: height)
        }
        findPath(store, at: now)
        findVerdicts(store, rows: window.rows(count: list.count, height: height), at: now)
    }

    /// The path of the error that is shown, at once if it is another one.
    mutating func findPath(_ store: TraceStore, at now: UInt64) {
        if path?.origin == origin, let pathFoundAt {
            guard pathFoundAt.eventCount != store.eventCount, now >= pathFoundAt.time + Self.pause else { return }
        }
        path = origin.flatMap { FaultAnalysis(store).path(from: $0, limit: Self.stepLimit) }
        pathFoundAt = (store.eventCount, now)
        if let step, step >= path?.steps.count ?? 0 { self.step = nil }
    }

    private mutating func findVerdicts(_ store: TraceStore, rows: Range<Int>, at now: UInt64) {
        let faults = FaultAnalysis(store)
        let stale = rows.lazy.map { [list] in list[$0] }.filter { [verdicts] origin in
            guard let known = verdicts[origin] else { return true }
            return known.eventCount != store.eventCount && now >= known.time + Self.pause
        }
        let due = Array(stale.prefix(Self.verdictsPerFrame))
        isBusy = due.count == Self.verdictsPerFrame
        if verdicts.count > 4096 { verdicts.removeAll() }
        for origin in due {
            guard let path = faults.path(from: origin, limit: Self.verdictLimit) else { continue }
            verdicts[origin] = Known(
                verdict: path.verdict, isPartial: path.isPartial, eventCount: store.eventCount, time: now)
        }
    }
}
