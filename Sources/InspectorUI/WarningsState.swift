import TaskEvents
import TraceAnalysis
import TraceStore

/// What the rules found, and the user's choices on the Warnings screen.
package struct WarningsState {
    /// Nanoseconds between two lists.
    static let pause: UInt64 = 250_000_000
    /// Of so many of one kind the findings are kept.
    static let limit = 1000

    /// One kind of findings: what one rule says of one place.
    struct Kind: Hashable {
        var rule: String
        var place: String

        init(_ group: WarningGroup) {
            rule = group.rule
            place = group.place
        }
    }

    /// Held by reference, as the store is: it has seen the events, and no frame changes that.
    let engine: WarningEngine
    /// The settings that the inspector began with.
    let settings: WarningSettings
    private(set) var list: WarningList?
    /// What the rules say, by task.
    package private(set) var index = WarningIndex()
    private(set) var eventCount = -1
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

    /// Brings the list up to date, four times a second at most.
    mutating func arrange(_ store: TraceStore, isOver: Bool, at now: UInt64) {
        if let listedAt {
            guard eventCount != store.eventCount || isOver != wasOver, now >= listedAt + Self.pause else { return }
        }
        list = engine.list(in: store, isOver: isOver)
        if let list { index = WarningIndex(list) }
        (eventCount, listedAt, wasOver) = (store.eventCount, now, isOver)
        if let finding { self.finding = group.map { min(finding, $0.findings.count - 1) } }
    }

    /// Lists anew with the next frame.
    mutating func restart() {
        listedAt = nil
    }
}
