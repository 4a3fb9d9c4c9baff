import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// All facts about one task: its times, executor, error, links, the chain around it, and its latest events. It is an overlay.
struct DetailScreen: Layer {
    static let name = ScreenName("Task detail")
    static let modes = [
        KeyMode(
            "Task detail",
            KeyRow.scrolling + KeyRow.sideways("along the chain", "to what came before or comes next (h l)")
                + [.escape("back", "back to where you were")])
    ]
    static let facets = Facets<Self>(
        search: .init(
            rows: { detail, _ in
                SearchedRows(count: detail.lines.count, cursor: detail.pane.selected ?? detail.pane.rows.lowerBound) {
                    [lines = detail.lines] in lines[$0].spans.map(\.text).joined()
                }
            }, select: { detail, row, _ in detail.pane.select(row) }),
        waiting: { detail, _ in .task(detail.task) }, copied: { ($0.task, $0.text) },
        site: { $1.site(of: $0.task) })

    /// The number of events in the list.
    static let eventLimit = 64
    /// The largest number of steps searched for on an error's path.
    static let stepLimit = 4096
    /// Nanoseconds between two expensive look-ups.
    static let pause: UInt64 = 250_000_000
    private static let fewLinks = 4
    /// The number of the chain's rows above and below the task.
    static let chainMargin = 6
    /// The largest number of tasks of the surrounding chains that get rows.
    static let chainLimit = 400

    let task: TaskID
    private(set) var events: [NumberedEvent] = []
    /// The rails around the task, and the number of lanes that they need.
    private(set) var rows: [RailsRow] = []
    private(set) var lanes = 1
    /// The room that the texts of the rows need.
    private(set) var needs = GraphNeeds()
    /// The number of tasks of the chain that have no row here.
    private(set) var unlistedCount = 0
    /// The path of the error that the task ended with or took.
    private(set) var fault: FaultPath?
    private(set) var title = Rect.empty
    private(set) var pane = ListPane()
    /// The lines as of the last frame.
    private(set) var lines: [DetailLine] = []
    private var searchedAt: (eventCount: Int, time: UInt64)?
    /// The chain that the task waits for, and the texts of its links.
    private var wait: [DetailLines.Wait] = []
    private var explainedAt: (version: UInt64, time: UInt64)?

    init(task: TaskID) {
        self.task = task
    }

    /// The lines as text, without the drawn rails.
    private var text: [String] { lines.map { $0.spans.map(\.text).joined() }.filter { !$0.isEmpty } }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let (title, list) = body.split(top: 2)
        self.title = title
        pane.layOut(in: list, count: lines.count)
    }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        search(shared.store, at: time)
        explain(shared, at: time)
        guard let view = shared.store.task(task) else { return }
        needs = GraphNeeds(rows, shared)
        lines =
            DetailLines(
                task: view, fault: fault, wait: wait, rows: rows, unlistedCount: unlistedCount, numberedEvents: events,
                columns: pane.area.columns, shared: shared
            ).all()
        pane.setCount(lines.count)
    }

    /// Searches for events, chain and error again if there may be new ones.
    private mutating func search(_ store: TraceStore, at now: UInt64) {
        if let searchedAt {
            guard searchedAt.eventCount != store.eventCount, now >= searchedAt.time + Self.pause else { return }
        }
        events = store.recentEvents(of: task, limit: Self.eventLimit)
        let faults = FaultAnalysis(store)
        fault = faults.origin(of: task).flatMap { faults.path(from: $0, limit: Self.stepLimit) }
        findRows(store)
        searchedAt = (store.eventCount, now)
    }

    private mutating func explain(_ shared: SharedState, at now: UInt64) {
        // A short chain is read for each frame, so that its times are those of the other lines.
        let isLong = wait.count > Self.fewLinks
        if let explainedAt, explainedAt.version == shared.store.version || isLong && now < explainedAt.time + Self.pause { return }
        explainedAt = (shared.store.version, now)
        wait = DetailLines.wait(of: task, shared)
    }

    /// The rows around the task's row that rails tie to it: its own chain, and linked chains in between.
    private mutating func findRows(_ store: TraceStore) {
        var rails = Rails()
        let chains = ChainAnalysis(store).chains(connectedWith: task, limit: Self.chainLimit)
        let tasks = chains.flatMap(\.tasks).sorted()
        let graph = NearbyGraph(of: tasks, in: store)
        for task in tasks { rails.update(task, in: graph) }
        rails.readJoins(in: graph)
        rails.numberRows()
        rows = []
        guard let own = rails.row(of: task) else { return }
        let around = max(0, own - Self.chainMargin)..<own + Self.chainMargin + 1
        rails.settle(throughRow: around.upperBound, in: graph)
        let window = rails.window(around, in: graph)
        let chain = store.chain(of: task)
        guard let index = window.firstIndex(where: { $0.task == task }) else { return }
        let first = window[...index].firstIndex { store.chain(of: $0.task) == chain } ?? index
        let last = window[index...].lastIndex { store.chain(of: $0.task) == chain } ?? index
        rows = Array(window[first...last])
        lanes = rows.reduce(1) { max($0, $1.width) }
        let ownChain = chains.first { $0.tasks.contains(task) }
        let listed = Set(rows.map(\.task))
        unlistedCount = ownChain.map { $0.isPartial ? 0 : $0.tasks.reduce(0) { $0 + (listed.contains($1) ? 0 : 1) } } ?? 0
    }

    mutating func restart(_ shared: SharedState) {
        searchedAt = nil
        explainedAt = nil
    }

    /// An open detail changes to the task that is followed.
    mutating func show(_ shared: inout SharedState) {
        if let selected = shared.selection, selected != task { self = DetailScreen(task: selected) }
    }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        guard movement == .left || movement == .right else { return .changed(if: pane.scroll(movement)) }
        let view = shared.store.task(task)
        let neighbour = movement == .left ? view?.firstAntecedent : view?.successors.first { _ in true }
        guard let neighbour, shared.store.row(of: neighbour) != nil else { return .ignored }
        // Along the chain the detail stays one stop on the way.
        shared.selection = neighbour
        self = DetailScreen(task: neighbour)
        return .changed
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) { pane.scroll(by: rows) }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        guard let task = pane.row(at: point).flatMap({ lines[$0].task }) else { return .ignored }
        return go(to: task, &shared)
    }

    private func go(to task: TaskID, _ shared: inout SharedState) -> Answer {
        shared.selection = task
        return .detail(of: task)
    }
}

extension Answer {
    /// Opens a task's detail.
    static func detail(of task: TaskID) -> Answer { .push(DetailScreen(task: task)) }
}
