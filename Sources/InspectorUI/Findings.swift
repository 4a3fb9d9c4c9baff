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

/// What the rules found, at the cursor: the header counts it, Tasks and the detail mark it, Warnings lists it.
package struct Findings {
    /// Nanoseconds between two lists.
    static let pause: UInt64 = 250_000_000
    /// Findings that are kept per rule and place.
    static let limit = 1000
    /// Events that the rules look at between two frames, on their way to an earlier state.
    private static let portion = 1 << 15

    /// Looks along with the latest state. Held by reference, as the store is: it has seen the events, and no frame changes that.
    private let engine: WarningEngine
    /// Looks at the state at an earlier event, from the trace's beginning on.
    private let pastEngine: WarningEngine
    /// The settings that the inspector began with.
    let settings: WarningSettings
    /// What the rules find at the cursor; nil until they have come to it.
    private(set) var list: WarningList?
    /// The events of evidence that are gone through, and where that began. Meanwhile the list stays as it is.
    var walk: EvidenceWalk?
    /// How far the rules are on their way to the cursor, in events.
    private(set) var seenCount = 0
    /// What the rules say, by task.
    package private(set) var index = WarningIndex()
    private var eventCount = -1
    private var isOfPast = false
    private var listedAt: UInt64?
    private var wasOver = false

    init(_ settings: WarningSettings) {
        self.settings = settings
        engine = WarningEngine(settings: settings, limit: Self.limit)
        pastEngine = WarningEngine(settings: settings, limit: Self.limit)
    }

    var groups: [WarningGroup] { list?.groups ?? [] }

    /// How many there are of all kinds.
    var count: Int { list?.count ?? 0 }

    /// The settings in force, which the user may change for as long as the inspector runs.
    var settingsInForce: WarningSettings {
        get { engine.settings }
        nonmutating set {
            engine.settings = newValue
            pastEngine.settings = newValue
        }
    }

    /// The rules see what has come.
    func follow(_ history: TraceHistory) {
        engine.follow(history.latest)
    }

    /// Whether the list is that of the state at the cursor. While a trace goes on, the next event brings the list up to date.
    func isSettled(_ history: TraceHistory, isOver: Bool) -> Bool {
        walk != nil || history.isAtLatest && !isOver || isListed(history, isOver: isOver)
    }

    /// Whether the list knows every event up to the cursor.
    func isListed(_ history: TraceHistory, isOver: Bool) -> Bool {
        walk != nil || eventCount == history.position && wasOver == isOver
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
        // The engine reads the events that the store still has by itself.
        guard store.oldestEvent > seen + 1 else { return store.eventCount }
        let first = max(seen, history.firstPosition)
        let last = min(first + limit, store.eventCount)
        guard let stretches = history.passed(between: first, and: last, limit: limit) else { return store.eventCount }
        take(stretches, of: store)
        return seenCount(of: store)
    }
}
