import TaskEvents
import TraceAnalysis
import TraceStore

/// A walk through the events that prove a finding. The time cursor stands at each of them in turn.
struct EvidenceWalk {
    /// The index of the current event among the finding's events.
    var event: Int
    /// The number of the event at the cursor when the walk began. Nil for the latest event.
    let origin: Int?
}

/// The findings of one rule at one place in the source. It stays the same while findings come.
struct FindingPlace: Hashable, Sendable {
    var rule: String
    var place: String

    init(_ group: WarningGroup) {
        rule = group.rule
        place = group.place
    }
}

/// The findings at the cursor. The header counts them, Tasks and the detail mark them, Warnings lists them.
package struct Findings {
    /// Nanoseconds between two updates of the list.
    static let pause: UInt64 = 250_000_000
    /// The number of findings kept per rule and place.
    static let limit = 1000
    /// The number of events that the rules examine per frame while they catch up with an earlier state.
    private static let portion = 1 << 15

    /// Follows the latest state. It is a reference type, like the store, because no frame changes the events that it has seen.
    private let engine: WarningEngine
    /// Follows the state at an earlier event, from the beginning of the trace.
    private let pastEngine: WarningEngine
    /// The settings at the start of the inspector.
    let settings: WarningSettings
    /// The findings at the cursor. Nil until the rules have reached it.
    private(set) var list: WarningList?
    /// The current walk through evidence. The list does not change during the walk.
    var walk: EvidenceWalk?
    /// The number of events that the rules have examined on their way to the cursor.
    private(set) var seenCount = 0
    /// The findings by task.
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

    /// The number of findings of all kinds.
    var count: Int { list?.count ?? 0 }

    /// The settings in force. The user can change them until the inspector ends.
    var settingsInForce: WarningSettings {
        get { engine.settings }
        nonmutating set {
            engine.settings = newValue
            pastEngine.settings = newValue
        }
    }

    /// Passes new events to the rules.
    func follow(_ history: TraceHistory) {
        engine.follow(history.latest)
    }

    /// Whether the list describes the state at the cursor. While a trace goes on, the next event updates the list.
    func isSettled(_ history: TraceHistory, isOver: Bool) -> Bool {
        walk != nil || history.isAtLatest && !isOver || isListed(history, isOver: isOver)
    }

    /// Whether the list includes every event up to the cursor.
    func isListed(_ history: TraceHistory, isOver: Bool) -> Bool {
        walk != nil || eventCount == history.position && wasOver == isOver
    }

    /// Updates the list: at most four times a second for the latest state, at once for an earlier state, not at all during a walk.
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

    /// Makes the next frame update the list.
    mutating func restart() {
        listedAt = nil
    }
}

extension WarningEngine {
    /// Takes events up to the history's cursor, about `limit` of them at most. Returns the number of events seen in total.
    fileprivate func catchUp(with history: TraceHistory, limit: Int) -> Int {
        let store = history.store
        let seen = seenCount(of: store)
        // The engine itself reads the events that the store still has.
        guard store.oldestEvent > seen + 1 else { return store.eventCount }
        let first = max(seen, history.firstPosition)
        let last = min(first + limit, store.eventCount)
        guard let stretches = history.passed(between: first, and: last, limit: limit) else { return store.eventCount }
        take(stretches, of: store)
        return seenCount(of: store)
    }
}
