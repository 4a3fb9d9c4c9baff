import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// All events in order, in words. The selected event is the time cursor.
///
/// A row is an event's number, so a list of ten million events costs what its visible rows cost. Several keys before a frame move the time
/// cursor once.
struct EventsScreen: FilteredScreen {
    static let name = ScreenName("Events", short: "Event", shortcut: "9")
    static let modes = [
        KeyMode(
            "Events",
            KeyRow.upAndDown("event", "the event before or after, with the time cursor (or j k, or a click)") + KeyRow.pages + KeyRow.ends
                + [
                    .enter("open", "open the event's task (or click it again)"),
                    filterKey("filter: event:faulted, or words and fields of the events' tasks, as in Tasks"),
                    .escape("", "drop the filter, then go live"),
                ]),
        filterMode("Filter of events"),
    ]
    static let facets = Facets<Self>(
        type: { $0.typeFilter($1, &$2) },
        detail: .init(task: { $0.taskAtCursor($1) }, textWithoutTask: "This event belongs to no task."),
        hide: { events in
            events.filter.keep()
            events.target = nil
        })

    var filter = FilterLine()
    private(set) var matches = EventMatches()
    /// The error in the typed filter.
    private(set) var problem: QueryError?
    private(set) var pane = ListPane()
    private(set) var heading = Rect.empty
    /// The number of the first listed event.
    private var first = 1
    /// The event to which the keys have moved the selection since the last frame.
    private var target: Target?
    /// The time cursor of the last frame.
    private var position: Int?

    /// The filter of a trace of snapshots that has none.
    private static let besidesMemory = (try? EventQuery("-event:memory")) ?? EventQuery()

    private enum Target {
        case latest
        case event(Int)
    }

    private func taskAtCursor(_ shared: SharedState) -> TaskID? {
        let history = shared.history
        return pane.selected.flatMap { $0 < count(history) ? history.event(number: number(at: $0))?.event.task : nil }
    }

    var mode: KeyMode { Self.modes[filter.isTyping ? 1 : 0] }

    /// The number of the event in a row.
    func number(at row: Int) -> Int { matches.query.isEmpty ? first + row : matches[row] }

    private func row(of number: Int) -> Int? {
        matches.query.isEmpty ? (number >= first ? number - first : nil) : matches.row(upTo: number)
    }

    private func count(_ history: TraceHistory) -> Int {
        matches.query.isEmpty ? max(0, history.eventCount - first + 1) : matches.count
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let (heading, below) = body.split(top: 1)
        self.heading = heading
        pane.layOut(in: filter.layOut(below: below), count: count(shared.history))
    }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        let history = shared.history
        // Sizes of memory come with each snapshot. They are no events of the program.
        if matches.query.isEmpty, shared.store.isSampled { matches.restart(Self.besidesMemory) }
        // A long live trace forgets its beginning. The visible rows stay in place.
        let gone = history.firstListed - first
        first = history.firstListed
        if gone > 0, matches.query.isEmpty { pane.setTop(pane.top - gone) }
        matches.advance(history, warnings: shared.findings.index, at: time)
        pane.setCount(count(history))
        moveCursor(&shared)
        let cursor = history.goal ?? history.position
        let row = row(of: cursor)
        if position == nil || position != cursor && pane.selected.map(pane.rows.contains) ?? true {
            pane.select(row)
        } else {
            pane.highlight(row)
        }
        position = cursor
    }

    func isSettled(_ shared: SharedState) -> Bool { matches.isSettled(shared.history) }

    /// Moves the time cursor to the event that the keys have selected.
    private mutating func moveCursor(_ shared: inout SharedState) {
        guard let target else { return }
        self.target = nil
        shared.findings.walk = nil
        switch target {
        case .latest: shared.look(at: nil)
        case .event(let number):
            shared.look(at: number)
            if let task = shared.history.event(number: number)?.event.task, task != .none { shared.selection = task }
        }
    }

    mutating func show(_ shared: inout SharedState) {
        position = nil
    }

    mutating func restart(_ shared: SharedState) {
        let cursor = shared.history.goal ?? shared.history.position
        if position != cursor, target == nil, pane.selected.map(pane.rows.contains) != true { position = nil }
    }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        pane.setCount(count(shared.history))
        guard let row = pane.target(of: movement) else { return .ignored }
        let before = (pane.selected, pane.rows)
        if shared.history.isAtLatest, target == nil, row == pane.selected, row == pane.count - 1 { return .ignored }
        select(row, &shared)
        return .changed(if: (pane.selected, pane.rows) != before)
    }

    private mutating func select(_ row: Int, _ shared: inout SharedState) {
        pane.select(row)
        let number = number(at: row)
        target = number == shared.history.eventCount && shared.history.recording != nil ? .latest : .event(number)
    }

    mutating func open(_ shared: inout SharedState) -> Answer {
        moveCursor(&shared)
        guard let row = pane.selected, row < count(shared.history) else { return .ignored }
        guard let task = shared.history.event(number: number(at: row))?.event.task, task != .none else {
            shared.notice = "The event belongs to no task."
            return .ignored
        }
        guard shared.store.task(task) != nil else {
            shared.notice = "The event's task is not kept any more."
            return .ignored
        }
        shared.selection = task
        return .detail(of: task)
    }

    mutating func leave(_ shared: inout SharedState) -> Answer {
        if dropFilter(&shared) { return .changed }
        guard !shared.history.isAtLatest else { return .ignored }
        target = nil
        shared.goLive()
        return .changed
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        guard let row = pane.row(at: point) else { return .ignored }
        if row == pane.selected { return open(&shared) }
        select(row, &shared)
        return .changed
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) { pane.scroll(by: rows) }

    // MARK: The filter

    mutating func filterChanged(_ shared: inout SharedState) {
        do throws(QueryError) {
            let query = try EventQuery(filter.text, isTyping: filter.isTyping)
            problem = nil
            if query != matches.query { matches.restart(query) }
            position = nil
        } catch {
            problem = error
        }
    }
}
