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
    private(set) var order = PanelOrder()

    /// The number of findings whose sentences can have several lines.
    private static let mostWrapped = 16

    private func count(_ shared: SharedState) -> Int { shared.findings.groups.count + order.ids.count }

    private func item(at row: Int, _ shared: SharedState) -> Item {
        let groups = shared.findings.groups
        return row < groups.count ? .finding(FindingPlace(groups[row])) : .executor(order.ids[row - groups.count])
    }

    private func row(of item: Item, _ shared: SharedState) -> Int? {
        let groups = shared.findings.groups
        return switch item {
        case .finding(let place): groups.firstIndex { FindingPlace($0) == place }
        case .executor(let id): order.place(of: id).map { $0 + groups.count }
        }
    }

    /// The row of the selection among all items.
    private func row(_ shared: SharedState) -> Int? {
        count(shared) == 0 ? nil : selection.flatMap { row(of: $0, shared) } ?? 0
    }

    func isSettled(_ shared: SharedState) -> Bool { order.isSettled(shared.store) }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        order.update(shared.store)
        let (groups, executors) = (shared.findings.groups.count, order.ids.count)
        let columns = OverviewAreas.findingColumns(body)
        let lines = shared.findings.groups.prefix(Self.mostWrapped).map { WrappedText.lines(sentence($0, shared), columns: columns).count }
        areas = OverviewAreas(body, findings: lines + Array(repeating: 1, count: groups - lines.count), executors: executors)
        findings.layOut(in: areas.findings, count: areas.findingLines.count)
        panels.layOut(in: areas.panels, count: executors, rowHeight: areas.panelRows)
        mark(shared)
    }

    mutating func arrange(_ shared: inout SharedState, at time: UInt64) {
        for row in panels.rows where row < order.ids.count {
            guard let executor = shared.store.executor(order.ids[row]) else { continue }
            causes.find(for: executor, in: shared.store, epoch: shared.history.epoch)
        }
    }

    /// The cause of an executor's worst wait.
    func cause(of executor: ExecutorID) -> WaitCauses.Cause? { causes[executor] }

    // MARK: The selection

    private mutating func mark(_ shared: SharedState) {
        let (row, groups) = (row(shared), shared.findings.groups.count)
        findings.mark(row.flatMap { $0 < groups ? areas.firstLine(ofFinding: $0) : nil })
        panels.mark(row.flatMap { $0 < groups ? nil : $0 - groups })
    }

    private mutating func select(_ item: Item, _ shared: SharedState) {
        selection = item
        mark(shared)
        if let row = findings.selected { findings.show(row) }
        if let row = panels.selected { panels.show(row) }
    }

    mutating func move(_ movement: Movement, _ shared: inout SharedState) {
        let page = max(2, panels.height)
        guard let row = row(shared), let target = movement.row(from: row, count: count(shared), page: page) else { return }
        select(item(at: target, shared), shared)
    }

    /// The task of the marked finding, or the marked executor. Nil if nothing waits there and the user has not selected it.
    func waiting(_ shared: SharedState) -> WaitChain.Subject? {
        let subject: WaitChain.Subject
        switch selection ?? (count(shared) > 0 ? item(at: 0, shared) : nil) {
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
        let findings = shared.findings
        return SearchedRows(count: count(shared), cursor: row(shared)) { [self] row in
            switch item(at: row, shared) {
            case .finding:
                let group = findings.groups[row]
                return "\(group.rule) \(findings.list?.message(of: group.first, in: shared.history.latest) ?? "")"
            case .executor(let executor): return TaskWords(shared.store).name(executor)
            }
        }
    }

    mutating func select(found row: Int, _ shared: inout SharedState) {
        select(item(at: row, shared), shared)
    }

    mutating func open(_ shared: inout SharedState) {
        guard let row = row(shared) else {
            shared.notice = "There is nothing to go to yet."
            return
        }
        switch item(at: row, shared) {
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
        let finding = findings.row(at: point).map { areas.findingLines[$0].finding }
        let row = finding ?? panels.row(at: point).map { $0 + shared.findings.groups.count }
        guard let row, row < count(shared) else { return [] }
        let clicked = item(at: row, shared)
        if clicked == selection { open(&shared) } else { select(clicked, shared) }
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
    /// The lines of the findings, from the top: the finding, and the index of the line in it.
    private(set) var findingLines: [(finding: Int, line: Int)] = []

    /// Room for a heading, two rows of a picture, and its axis.
    static let leastPanelRows = 4
    private static let mostPanelRows = 9
    private static let mostFindingRows = 5
    /// A heading and four events.
    private static let leastEventRows = 5

    init() {}

    private static func isWide(_ body: Rect) -> Bool { body.columns >= 140 }
    private static func leftColumns(_ body: Rect) -> Int { isWide(body) ? body.columns * 9 / 20 : body.columns }
    /// The room for a line of a finding's sentence.
    static func findingColumns(_ body: Rect) -> Int { leftColumns(body) - 4 }

    func firstLine(ofFinding finding: Int) -> Int? { findingLines.firstIndex { $0.finding == finding } }

    /// The number of lines of a finding.
    func lineCount(ofFinding finding: Int) -> Int { findingLines.reduce(0) { $0 + ($1.finding == finding ? 1 : 0) } }

    /// - Parameter lines: the number of lines that each finding needs.
    init(_ body: Rect, findings lines: [Int], executors: Int) {
        self.body = body
        let isWide = Self.isWide(body)
        var left = body
        if isWide {
            let (first, rest) = body.split(left: Self.leftColumns(body))
            let (rule, right) = rest.split(left: 1)
            (left, self.rule) = (first, rule)
            (panelsTitle, panels) = right.split(top: 1)
        }
        guard isWide else {
            stack(left, findings: lines, executors: executors)
            return
        }
        let below = placeFindings(lines, in: left, most: max(1, left.rows / 2))
        (eventsTitle, events) = below.split(top: 1).rest.split(top: 1)
        placePanels(executors, in: panels)
    }

    /// Whole panels below the findings, with a blank row below each if all fit, and the events in the rest.
    private mutating func stack(_ body: Rect, findings lines: [Int], executors: Int) {
        let most = max(1, body.rows / 4)
        var below = placeFindings(lines, in: body, most: most)
        var left = below.rows - 1 - rows(ofPanels: executors, in: below.rows - 1)
        if left < Self.leastEventRows {
            // So few events would only repeat the strip. Findings that are cut get the room, and then the panels.
            below = placeFindings(lines, in: body, most: most + max(0, left))
            left = 0
        }
        let (bottom, middle) = below.split(bottom: left)
        (panelsTitle, panels) = middle.split(top: 1)
        if left > 0 { (eventsTitle, events) = bottom.split(top: 1) }
        placePanels(executors, in: panels)
    }

    /// Each finding gets the lines that it needs, as far as all have room. Returns the area below.
    private mutating func placeFindings(_ lines: [Int], in body: Rect, most: Int) -> Rect {
        func total(_ limit: Int) -> Int { lines.reduce(0) { $0 + min($1, limit) } }
        let limit = (1...Self.mostFindingRows).last { total($0) <= most } ?? 1
        findingLines = lines.enumerated().flatMap { finding, lines in (0..<min(lines, limit)).map { (finding, $0) } }
        let (top, below) = body.split(top: 1 + min(max(1, findingLines.count), most))
        (findingsTitle, findings) = top.split(top: 1)
        return below
    }

    /// The rows that the panels need of `room`. A list of panels that do not all fit has a line with their numbers.
    private func rows(ofPanels executors: Int, in room: Int) -> Int {
        let roomy = max(1, executors) * (Self.leastPanelRows + 1)
        if roomy <= room { return roomy }
        let fitting = Self.fitting(executors, in: room)
        return fitting * Self.leastPanelRows + (fitting < executors ? 1 : 0)
    }

    /// The number of panels of the least height that fit.
    private static func fitting(_ executors: Int, in room: Int) -> Int {
        executors * leastPanelRows <= room ? max(1, executors) : max(1, (room - 1) / leastPanelRows)
    }

    private mutating func placePanels(_ executors: Int, in panels: Rect) {
        let fitting = Self.fitting(executors, in: panels.rows)
        let room = panels.rows - (fitting < executors ? 1 : 0)
        panelRows = max(Self.leastPanelRows, min(Self.mostPanelRows, room / fitting))
    }
}
