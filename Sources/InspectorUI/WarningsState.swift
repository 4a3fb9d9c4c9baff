import TaskEvents
import TraceAnalysis
import TraceStore

/// A walk through the events that prove findings, with the cursor at each of them.
struct EvidenceWalk {
    /// The place of the event among its finding's.
    var event: Int
    /// The event that the cursor was at when it began; nil for the latest.
    let origin: Int?
}

/// What the rules found, and the user's choices on the Warnings screen.
package struct WarningsState {
    /// Nanoseconds between two lists.
    static let pause: UInt64 = 250_000_000
    /// Of so many of one kind the findings are kept.
    static let limit = 1000
    /// Events that the rules look at between two frames, on their way to an earlier state.
    private static let portion = 1 << 15

    /// One kind of findings: what one rule says of one place.
    struct Kind: Hashable {
        var rule: String
        var place: String

        init(_ group: WarningGroup) {
            rule = group.rule
            place = group.place
        }
    }

    /// Looks along with the latest state. Held by reference, as the store is: it has seen the events, and no frame changes that.
    let engine: WarningEngine
    /// Looks at the state at an earlier event, from the trace's beginning on.
    let pastEngine: WarningEngine
    /// The settings that the inspector began with.
    let settings: WarningSettings
    /// What the rules find at the cursor; nil until they have come to it.
    private(set) var list: WarningList?
    /// The events of evidence that are gone through, and where that began.
    var walk: EvidenceWalk?
    /// How far the rules are on their way to the cursor, in events.
    private(set) var seenCount = 0
    /// What the rules say, by task.
    package private(set) var index = WarningIndex()
    private(set) var eventCount = -1
    private var isOfPast = false
    private var listedAt: UInt64?
    private var wasOver = false
    /// The kind that was selected; nil to stay with the first.
    var selection: Kind?
    /// The finding of that kind that is looked at; nil while the kinds are.
    var finding: Int?
    var window = ListWindow()
    var findingWindow = ListWindow()

    init(_ settings: WarningSettings) {
        self.settings = settings
        engine = WarningEngine(settings: settings, limit: Self.limit)
        pastEngine = WarningEngine(settings: settings, limit: Self.limit)
    }

    var groups: [WarningGroup] { list?.groups ?? [] }

    /// How many there are of all kinds.
    var count: Int { list?.count ?? 0 }

    var row: Int? {
        guard let selection else { return groups.isEmpty ? nil : 0 }
        return groups.firstIndex { Kind($0) == selection }
    }

    /// The kind that is shown.
    var group: WarningGroup? { row.map { groups[$0] } }

    /// Whether the list is that of a state with so many events, by what holds of a trace that is over, or of one that goes on.
    func isSettled(at count: Int, isOver: Bool) -> Bool {
        walk != nil || eventCount == count && wasOver == isOver
    }

    /// Brings the list up to date with the latest state four times a second at most, with an earlier one at once. What is gone through stays.
    mutating func arrange(_ history: TraceHistory, isOver: Bool, at now: UInt64) {
        guard walk == nil else { return }
        let store = history.store
        let isPast = !history.isAtLatest
        if isPast == isOfPast, let listedAt {
            guard eventCount != store.eventCount || isOver != wasOver, isPast || now >= listedAt + Self.pause else { return }
        }
        let engine = isPast ? pastEngine : engine
        seenCount = engine.catchUp(with: history, limit: isPast ? Self.portion : .max)
        if isPast, seenCount < store.eventCount {
            (list, index, eventCount) = (nil, WarningIndex(), -1)
            return
        }
        let found = engine.list(in: store, isOver: isOver)
        (list, index) = (found, WarningIndex(found))
        (eventCount, listedAt, wasOver, isOfPast) = (store.eventCount, now, isOver, isPast)
        if let finding { self.finding = group.map { min(finding, $0.findings.count - 1) } }
    }

    /// An event that proves the finding that is looked at.
    func evidence(_ place: Int) -> Evidence? {
        guard let group, let finding, group.findings.indices.contains(finding) else { return nil }
        let evidence = group.findings[finding].evidence
        return evidence.indices.contains(place) ? evidence[place] : nil
    }

    /// Lists anew with the next frame.
    mutating func restart() {
        listedAt = nil
    }
}

extension WarningEngine {
    /// Takes the events up to the history's cursor, about `limit` of them if they are many. Returns how many it has seen of them all.
    fileprivate func catchUp(with history: TraceHistory, limit: Int) -> Int {
        let store = history.store
        let seen = seenCount(of: store)
        // Those that the store still has, it takes by itself.
        guard store.oldestEvent > seen + 1 else { return store.eventCount }
        let first = max(seen, history.firstPosition)
        let last = min(first + limit, store.eventCount)
        guard let stretches = history.passed(between: first, and: last, limit: limit) else { return store.eventCount }
        take(stretches, of: store)
        return seenCount(of: store)
    }
}
