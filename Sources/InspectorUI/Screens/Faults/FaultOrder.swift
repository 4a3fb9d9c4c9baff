import TaskEvents
import TraceAnalysis
import TraceStore

/// The errors in the order of the list: by verdict, the unread ones first, or by time, the newest first. Errors of one verdict stand newest
/// first. Equal errors share a row, which stands where the newest of them does.
///
/// A verdict takes a walk along the error's path, so a frame finds as many verdicts as its portion of steps allows. The list is that of the
/// last whole pass. The first pass of a trace shows the newest first until it has all verdicts.
struct FaultOrder {
    /// The largest number of a path's steps examined for a verdict.
    static let verdictLimit = 1024
    /// The number of steps that a frame examines. An error counts for at least eight.
    static let portion = 1 << 14
    /// Nanoseconds between two passes over a long list.
    static let pause: UInt64 = 250_000_000
    /// The largest number of errors that each frame puts in order.
    static let shortList = 256

    /// The sort order that the user chose.
    private(set) var isByVerdict = true
    /// Whether equal errors share a row.
    private(set) var isFolded = true
    private var origins: [TaskID] = []
    /// The rows of the errors, by their origins, and the number of errors in each row.
    private var rows: [TaskID: Int] = [:]
    private var counts: [Int] = []
    private var verdicts: [TaskID: Known] = [:]
    private var pass: Pass?
    private var eventCount = -1
    private var endedAt: UInt64?

    private struct Known {
        var verdict: Verdict
        var isPartial: Bool
        var likeness: Likeness
    }

    /// The facts that two faults share if their errors are equal.
    private struct Likeness: Hashable {
        var verdict: Verdict
        var error: ErrorDescription?
        var site: String
        /// The name of the task without digits: tasks that one line makes often differ in a number.
        var name: String
    }

    private struct Pass {
        let origins: [TaskID]
        let eventCount: Int
        var next = 0
        var verdicts: [TaskID: Known] = [:]
    }

    var count: Int { origins.count }
    var first: TaskID? { origins.first }
    subscript(row: Int) -> TaskID { origins[row] }

    /// The number of equal errors in a row.
    func count(ofRow row: Int) -> Int { counts[row] }

    func row(of origin: TaskID) -> Int? { rows[origin] }

    func verdict(of origin: TaskID) -> (verdict: Verdict, isPartial: Bool)? {
        (pass?.verdicts[origin] ?? verdicts[origin]).map { ($0.verdict, $0.isPartial) }
    }

    func isSettled(_ history: TraceHistory) -> Bool { pass == nil && eventCount == history.store.eventCount }

    /// The next frame begins a pass. The list stays until that pass has ended.
    mutating func restart() {
        (pass, endedAt) = (nil, nil)
        eventCount = -1
    }

    mutating func sort(byVerdict isByVerdict: Bool) {
        self.isByVerdict = isByVerdict
        restart()
    }

    mutating func fold(_ isFolded: Bool) {
        self.isFolded = isFolded
        restart()
    }

    mutating func advance(_ faults: FaultList, _ history: TraceHistory, at now: UInt64) {
        let store = history.store
        if pass == nil {
            guard eventCount != store.eventCount else { return }
            if faults.count > Self.shortList, let endedAt, now < endedAt + Self.pause { return }
            pass = Pass(origins: (0..<faults.count).map { faults[$0] }, eventCount: store.eventCount)
            if verdicts.isEmpty { list(pass?.origins ?? []) { _ in nil } }
        }
        guard var pass else { return }
        // The pass is changed in place: a second holder would copy its verdicts.
        self.pass = nil
        let analysis = FaultAnalysis(store)
        var left = Self.portion
        while left > 0, pass.next < pass.origins.count {
            let origin = pass.origins[pass.next]
            pass.next += 1
            left -= 8
            guard let path = analysis.path(from: origin, limit: Self.verdictLimit) else { continue }
            left -= path.steps.count
            pass.verdicts[origin] = Known(
                verdict: path.verdict, isPartial: path.isPartial, likeness: likeness(of: origin, path.verdict, in: store))
        }
        if pass.next == pass.origins.count { finish(pass, at: now) } else { self.pass = pass }
    }

    private mutating func finish(_ pass: Pass, at now: UInt64) {
        (verdicts, eventCount, endedAt) = (pass.verdicts, pass.eventCount, now)
        var sorted = pass.origins
        if isByVerdict {
            let byRank = Dictionary(grouping: sorted) { pass.verdicts[$0]?.verdict.rank ?? .max }
            sorted = byRank.sorted { $0.key < $1.key }.flatMap(\.value)
        }
        list(sorted) { [isFolded] in isFolded ? pass.verdicts[$0]?.likeness : nil }
    }

    /// Gives each error a row, in this order, and equal errors the same one.
    private mutating func list(_ sorted: [TaskID], by likeness: (TaskID) -> Likeness?) {
        (origins, rows, counts) = ([], [:], [])
        var known: [Likeness: Int] = [:]
        for origin in sorted {
            let likeness = likeness(origin)
            let row = likeness.flatMap { known[$0] } ?? origins.count
            if row == origins.count {
                origins.append(origin)
                counts.append(0)
                if let likeness { known[likeness] = row }
            }
            rows[origin] = row
            counts[row] += 1
        }
    }

    private func likeness(of origin: TaskID, _ verdict: Verdict, in store: TraceStore) -> Likeness {
        let task = store.task(origin)
        let name = (task?.label.name ?? "").filter { !$0.isNumber }
        return Likeness(verdict: verdict, error: task.flatMap { store.entries.error($0.error) }, site: task?.label.site ?? "", name: name)
    }
}
