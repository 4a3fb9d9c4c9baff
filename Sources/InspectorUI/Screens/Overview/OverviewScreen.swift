import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The first screen: the findings, worst first, one panel per executor, and the latest events.
///
/// Enter opens the place of the selected finding or panel. Only the visible panels are drawn, and the cause of an executor's worst wait is
/// searched for only when that wait is new.
struct OverviewScreen: Screen {
    static let name = ScreenName("Overview", short: "Over", digit: "0")
    static let modes = [
        KeyMode(
            "Overview",
            KeyRow.list + [.enter("go there", "to the finding, the error or the executor (or click it again)"), .dropsSelection])
    ]

    /// The selected line: a finding, or an executor's panel.
    enum Item: Hashable, Sendable {
        case finding(FindingPlace)
        case executor(ExecutorID)
    }

    private(set) var areas = OverviewAreas()
    private(set) var findings = ListPane()
    private(set) var panels = ListPane()
    /// The selected item. Nil selects the first line.
    private var selection: Item?
    private var causes = WaitCauses()

    private func items(_ shared: SharedState) -> [Item] {
        shared.findings.groups.map { .finding(FindingPlace($0)) } + Self.executors(shared.store).map { .executor($0.id) }
    }

    /// The executors in the order of the panels: those first on which jobs have waited longest. Waits up to a millisecond count as none,
    /// and waits of one magnitude as equal, so that panels seldom change places. Among equals, main is first.
    static func executors(_ store: TraceStore) -> [ExecutorView] {
        func magnitude(_ executor: ExecutorView) -> Int {
            let milliseconds = (executor.worstWait?.nanoseconds ?? 0) / 1_000_000
            return UInt64.bitWidth - milliseconds.leadingZeroBitCount
        }
        return store.executors.map { (magnitude($0), $0) }.enumerated().sorted {
            ($1.element.0, $0.offset) < ($0.element.0, $1.offset)
        }.map(\.element.1)
    }

    /// The row of the selection among all items.
    private func row(_ items: [Item]) -> Int? {
        items.isEmpty ? nil : selection.flatMap { items.firstIndex(of: $0) } ?? 0
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let (groups, executors) = (shared.findings.groups.count, shared.store.executors.count)
        areas = OverviewAreas(body, findings: groups, executors: executors)
        findings.layOut(in: areas.findings, count: groups)
        panels.layOut(in: areas.panels, count: executors, rowHeight: areas.panelRows)
        mark(shared)
    }

    mutating func arrange(_ shared: inout SharedState, at time: UInt64) {
        let executors = Self.executors(shared.store)
        for row in panels.rows where row < executors.count {
            causes.find(for: executors[row], in: shared.store, epoch: shared.history.epoch)
        }
    }

    /// The cause of an executor's worst wait.
    func cause(of executor: ExecutorID) -> WaitCauses.Cause? { causes[executor] }

    // MARK: The selection

    private mutating func mark(_ shared: SharedState) {
        let row = row(items(shared))
        findings.mark(row.flatMap { $0 < findings.count ? $0 : nil })
        panels.mark(row.flatMap { $0 < findings.count ? nil : $0 - findings.count })
    }

    private mutating func select(_ item: Item, _ shared: SharedState) {
        selection = item
        mark(shared)
        if let row = findings.selected { findings.show(row) }
        if let row = panels.selected { panels.show(row) }
    }

    mutating func move(_ movement: Movement, _ shared: inout SharedState) {
        let items = items(shared)
        guard let row = row(items), let target = movement.row(from: row, count: items.count, page: max(2, panels.height)) else { return }
        select(items[target], shared)
    }

    /// The task of the marked finding, or the marked executor. Nil if nothing waits there and the user has not selected it.
    func waiting(_ shared: SharedState) -> WaitChain.Subject? {
        let subject: WaitChain.Subject
        switch selection ?? items(shared).first {
        case .executor(let executor): subject = .executor(executor)
        case .finding(let place):
            let task = shared.findings.groups.first { FindingPlace($0) == place }?.first.task ?? .none
            guard task != .none else { return nil }
            subject = .task(task)
        case nil: return nil
        }
        return selection == nil && WaitChain(of: subject, in: shared.store).isTrivial ? nil : subject
    }

    func searched(_ shared: SharedState) -> SearchedRows? {
        let items = items(shared)
        let findings = shared.findings
        return SearchedRows(count: items.count, cursor: row(items)) { row in
            switch items[row] {
            case .finding:
                let group = findings.groups[row]
                return "\(group.rule) \(findings.list?.message(of: group.first, in: shared.history.latest) ?? "")"
            case .executor(let executor): return TaskWords(shared.store).name(executor)
            }
        }
    }

    mutating func select(found row: Int, _ shared: inout SharedState) {
        select(items(shared)[row], shared)
    }

    mutating func open(_ shared: inout SharedState) {
        let items = items(shared)
        guard let row = row(items) else {
            shared.notice = "There is nothing to go to yet."
            return
        }
        switch items[row] {
        case .finding(let place):
            guard let group = shared.findings.groups.first(where: { FindingPlace($0) == place }) else { return }
            let task = group.first.task
            let isError = shared.store.task(task)?.state == .faulted
            shared.requests.place = isError ? .error(task) : .finding(place)
        case .executor(let executor): shared.requests.place = .executor(executor)
        }
    }

    mutating func leave(_ shared: inout SharedState) -> Bool {
        guard selection != nil else { return false }
        selection = nil
        findings.setTop(0)
        panels.setTop(0)
        return true
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> [Effect] {
        let items = items(shared)
        let row = findings.row(at: point) ?? panels.row(at: point).map { $0 + findings.count }
        guard let row, row < items.count else { return [] }
        if items[row] == selection { open(&shared) } else { select(items[row], shared) }
        return []
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) {
        panels.scroll(by: rows.signum())
    }
}

/// The areas of the overview. On a wide terminal, the panels stand beside the other parts.
struct OverviewAreas {
    private(set) var body = Rect(column: 0, row: 0, columns: 0, rows: 0)
    private(set) var findingsTitle = Rect(column: 0, row: 0, columns: 0, rows: 0)
    private(set) var findings = Rect(column: 0, row: 0, columns: 0, rows: 0)
    private(set) var panelsTitle = Rect(column: 0, row: 0, columns: 0, rows: 0)
    private(set) var panels = Rect(column: 0, row: 0, columns: 0, rows: 0)
    private(set) var eventsTitle = Rect(column: 0, row: 0, columns: 0, rows: 0)
    private(set) var events = Rect(column: 0, row: 0, columns: 0, rows: 0)
    /// The column of the line between both sides.
    private(set) var rule: Rect?
    private(set) var panelRows = OverviewAreas.leastPanelRows

    /// Room for a heading, two rows of a picture, and its axis.
    static let leastPanelRows = 4
    private static let mostPanelRows = 9

    init() {}

    init(_ body: Rect, findings count: Int, executors: Int) {
        self.body = body
        let isWide = body.columns >= 140
        var left = body
        if isWide {
            let (first, rest) = body.split(left: body.columns * 9 / 20)
            let (rule, right) = rest.split(left: 1)
            (left, self.rule) = (first, rule)
            (panelsTitle, panels) = right.split(top: 1)
        }
        let wanted = max(1, count)
        let most = isWide ? max(1, left.rows / 2) : max(1, left.rows / 4)
        let (top, below) = left.split(top: 1 + min(wanted, most))
        (findingsTitle, findings) = top.split(top: 1)
        if isWide {
            (eventsTitle, events) = below.split(top: 1).rest.split(top: 1)
        } else {
            // Whole panels, with a blank row below each if all fit. The events get the rest.
            let room = below.rows - 1
            let roomy = max(1, executors) * (Self.leastPanelRows + 1)
            let whole = min(max(1, executors), room / Self.leastPanelRows) * Self.leastPanelRows
            let (middle, bottom) = below.split(top: 1 + (roomy <= room ? roomy : whole))
            (panelsTitle, panels) = middle.split(top: 1)
            // A heading without an event below it is left out.
            if bottom.rows >= 2 { (eventsTitle, events) = bottom.split(top: 1) }
        }
        panelRows = max(Self.leastPanelRows, min(Self.mostPanelRows, panels.rows / max(1, executors)))
    }
}
