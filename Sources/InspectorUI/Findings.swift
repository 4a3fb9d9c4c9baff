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
struct FindingKey: Hashable, Sendable {
    var rule: String
    var site: String

    init(_ group: WarningGroup) {
        rule = group.rule
        site = group.site
    }
}

/// The findings at the cursor. The header counts them, Tasks and the detail flag them, Warnings lists them.
package struct Findings {
    /// Nanoseconds between two updates of the list.
    static let pause: UInt64 = 250_000_000
    /// The number of findings kept per rule and place.
    static let limit = 1000
    /// The number of events that the rules examine per frame while they catch up with an earlier state.
    static let portion = 1 << 13

    /// Follows the latest state. It is a reference type, like the store, because no frame changes the events that it has seen.
    private let engine: WarningEngine
    /// Follows the state at an earlier event, from the beginning of the trace.
    private let pastEngine: WarningEngine
    /// The settings at the start of the inspector.
    let settings: WarningSettings
    /// The findings at the cursor. Nil until the rules have reached it.
    private(set) var list: WarningList? {
        didSet { hopWarnings = HopWarnings(list) }
    }
    /// The classes of hops that the list's findings are about.
    private(set) var hopWarnings = HopWarnings(nil)
    /// The current walk through evidence. The list does not change during the walk.
    var walk: EvidenceWalk?
    /// The number of events that the rules have examined on their way to the cursor.
    private(set) var seenCount = 0
    /// The findings by task.
    package private(set) var index = WarningIndex()
    private var eventCount = -1
    /// The time of the trace that the list describes.
    private(set) var traceTime: UInt64 = 0
    private var isOfPast = false
    private var listedAt: UInt64?
    private var wasOver = false
    private var silence = Silence()
    private var wasSilent = false
    /// The findings of the latest state of an ended trace, while the cursor is at an earlier one.
    private var latest: (list: WarningList, index: WarningIndex, eventCount: Int)?
    /// The position of the cursor in the last frame, and the time of the first frame there.
    private var rest: (position: Int, since: UInt64)?

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
        set {
            engine.settings = newValue
            pastEngine.settings = newValue
            latest = nil
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
    mutating func refresh(_ history: TraceHistory, isOver: Bool, at now: UInt64) {
        let isSilent = silence.note(history.eventCount, at: now)
        guard walk == nil else { return }
        let store = history.store
        let isPast = !history.isAtLatest
        if isPast == isOfPast, let listedAt {
            let isNew = eventCount != store.eventCount || isOver != wasOver || traceTime != store.now || isSilent != wasSilent
            guard isNew, isPast || now >= listedAt + Self.pause else { return }
        }
        if !isPast, isOver, let latest, latest.eventCount == store.eventCount {
            (list, index) = (latest.list, latest.index)
            (eventCount, traceTime, listedAt, wasOver, isOfPast) = (store.eventCount, store.now, now, isOver, isPast)
            return
        }
        let engine = isPast ? pastEngine : engine
        guard !isPast || isWorthReading(store, at: now) else { return dropList() }
        seenCount = engine.catchUp(with: history, limit: isPast ? Self.portion : .max)
        guard !isPast || seenCount == store.eventCount else { return dropList() }
        // A problem of a program that has fallen silent is found by the time alone.
        if isSilent, !isPast { engine.settle(in: store) }
        wasSilent = isSilent
        let found = engine.list(in: store, isOver: isOver)
        (list, index) = (found, WarningIndex(found))
        (eventCount, traceTime, listedAt, wasOver, isOfPast) = (store.eventCount, store.now, now, isOver, isPast)
        latest = isPast ? latest : isOver ? (found, index, eventCount) : nil
    }

    private mutating func dropList() {
        (list, index, eventCount) = (nil, WarningIndex(), -1)
    }

    /// Whether the rules go on towards the cursor. A step back makes them read all events again. If these are many, the rules wait until the
    /// cursor has rested, so that a held key does not make them begin with every frame.
    private mutating func isWorthReading(_ store: TraceStore, at now: UInt64) -> Bool {
        if rest?.position != store.eventCount { rest = (store.eventCount, now) }
        guard store.eventCount - pastEngine.seenCount(of: store) > Self.portion, let rest else { return true }
        return now >= rest.since + Self.pause
    }

    /// Makes the next frame update the list.
    mutating func restart() {
        listedAt = nil
    }

    /// Makes the next frame find everything anew, because names or the end of the trace have become known.
    mutating func forget() {
        latest = nil
        restart()
    }
}

/// Notes for how long no event has come, from frame to frame.
private struct Silence {
    /// Nanoseconds between two frames after which the silence begins anew. The inspector has been stopped meanwhile, and its readers with
    /// it, so that events may wait in the lanes.
    private static let longestGap: UInt64 = 2_000_000_000

    private var eventCount = -1
    private var since: UInt64 = 0
    private var last: UInt64 = 0

    /// Whether no event has come for ``Findings/pause``, while frames were drawn.
    mutating func note(_ count: Int, at now: UInt64) -> Bool {
        if count != eventCount || now > last + Self.longestGap { (eventCount, since) = (count, now) }
        last = now
        return now >= since + Findings.pause
    }
}

extension WarningEngine {
    /// Takes events up to the history's cursor, about `limit` of them at most. Returns the number of events seen in total.
    fileprivate func catchUp(with history: TraceHistory, limit: Int) -> Int {
        let store = history.store
        let seen = seenCount(of: store)
        // The engine itself reads the events that the store still has.
        guard store.oldestEvent > seen + 1 || store.eventCount - seen > limit else { return store.eventCount }
        let first = max(seen, history.firstPosition)
        let last = store.eventCount - first > limit ? first + limit : store.eventCount
        guard let stretches = history.passed(between: first, and: last, limit: limit) else { return store.eventCount }
        take(stretches, of: store)
        return seenCount(of: store)
    }
}
