import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The first screen: the findings, worst first, the longest waits, the executors, and the latest events. An executor on which a job has
/// waited for more than a millisecond has a panel, as has main after any wait. The others have a line.
///
/// Enter opens the place of the selected finding or panel. Only the visible panels are drawn, and the cause of an executor's worst wait is
/// searched for only when that wait is new.
struct OverviewScreen: Layer {
    static let name = ScreenName("Overview", short: "Over", shortcut: "0")
    static let modes = [
        KeyMode(
            "Overview",
            KeyRow.list + [
                .enter("go there", "to the finding, the error or the executor (or click it again)"), .dropsSelection,
                longestJobKey { $0.executorAtCursor($1) },
            ])
    ]
    static let facets = Facets<Self>(
        search: .init(rows: { $0.searched($1) }, select: { $0.select($0.item(at: $1, $2), $2) }), waiting: { $0.waiting($1) },
        receive: { overview, message, _ in
            // At the end of the trace, other waits are worth a line.
            switch message {
            case .ended, .cut:
                overview.waitsPass.restart()
                overview.waitsListed = nil
            case _: break
            }
            return []
        })

    /// The selected line: a finding, a wait that lasts long, or an executor's panel.
    enum Item: Hashable, Sendable {
        case finding(FindingKey)
        /// The task that has waited longest of its group.
        case wait(TaskID)
        case executor(ExecutorID)
    }

    private(set) var areas = OverviewAreas()
    private(set) var findings = ListPane()
    /// The line of main, if no job has waited there.
    private(set) var main = ListPane()
    private(set) var panels = ListPane()
    /// The lines of the other executors.
    private(set) var quiet = ListPane()
    /// The selected item. Nil selects the first line.
    private var selection: Item?
    private var causes = WaitCauses()
    private(set) var order = ExecutorsInOrder()
    private(set) var waits = LongWaits()
    /// The time of the last list of waits, and the position of the cursor.
    private var waitsListed: (at: UInt64, position: Int)?
    private var waitsPass = LongWaitsPass()
    /// The position of the cursor in the last portion of the pass.
    private var waitsPosition = -1

    /// The number of findings whose sentences can have several lines.
    private static let mostWrapped = 16
    /// The number of groups of long waits that have a line.
    static let mostWaits = 4

    /// The groups of long waits that have a line.
    var shownWaits: ArraySlice<LongWaits.Group> { waits.groups.prefix(Self.mostWaits) }

    /// The number of lines above the executors: findings, then waits.
    private func noticeCount(_ shared: SharedState) -> Int { shared.findings.groups.count + shownWaits.count }

    private func count(_ shared: SharedState) -> Int { noticeCount(shared) + order.ids.count }

    private func item(at row: Int, _ shared: SharedState) -> Item {
        let groups = shared.findings.groups
        if row < groups.count { return .finding(FindingKey(groups[row])) }
        let notices = noticeCount(shared)
        return row < notices ? .wait(shownWaits[row - groups.count].task) : .executor(order.ids[row - notices])
    }

    private func row(of item: Item, _ shared: SharedState) -> Int? {
        let groups = shared.findings.groups
        return switch item {
        case .finding(let key): groups.firstIndex { FindingKey($0) == key }
        case .wait(let task): shownWaits.firstIndex { $0.task == task }.map { $0 + groups.count }
        case .executor(let id): order.index(of: id).map { $0 + noticeCount(shared) }
        }
    }

    /// The row of the selection among all items.
    private func row(_ shared: SharedState) -> Int? {
        count(shared) == 0 ? nil : selection.flatMap { row(of: $0, shared) } ?? 0
    }

    func isSettled(_ shared: SharedState) -> Bool { order.isSettled(shared.store) && waitsListed != nil && !waitsPass.isUnfinished }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        order.update(shared.store)
        let groups = shared.findings.groups.count
        let executors = (main: order.quietMains.count, waited: order.waited.count, quiet: order.others.count)
        let columns = OverviewAreas.findingColumns(body)
        let lines = shared.findings.groups.prefix(Self.mostWrapped).map { WrappedText.lines(sentence($0, shared), columns: columns).count }
        let waits = shownWaits.map { WrappedText.lines(sentence($0, shared), columns: columns).count }
        areas = OverviewAreas(body, findings: lines + Array(repeating: 1, count: groups - lines.count) + waits, executors: executors)
        findings.layOut(in: areas.findings, count: areas.findingLines.count)
        main.layOut(in: areas.main, count: executors.main, hasScrollBar: false)
        panels.layOut(in: areas.panels, count: executors.waited, rowHeight: areas.panelRows)
        quiet.layOut(in: areas.quiet, count: executors.quiet)
        highlight(shared)
    }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        listWaits(shared, at: time)
        for row in panels.rows where row < order.waited.count {
            guard let executor = shared.store.executor(order.ids[order.waited.lowerBound + row]) else { continue }
            causes.find(for: executor, in: shared.store, epoch: shared.history.epoch)
        }
    }

    /// The number of waiting tasks per frame that the list of long waits looks at.
    private static let waitPortion = 2048

    /// Lists the long waits as often as the findings. At the program's end it lists short ones, too: they have no time to become long.
    private mutating func listWaits(_ shared: SharedState, at time: UInt64) {
        let before = waits.groups.count
        let position = shared.history.position
        // In a trace that does not go on, no later frame would mend a list for another position.
        if shared.program.hasEnded, waitsPosition != position { waitsPass.restart() }
        if let waitsListed {
            let hasMoved = shared.program.hasEnded && waitsListed.position != position
            let isDue = hasMoved || waitsPass.isUnfinished || time < waitsListed.at || time >= waitsListed.at + Findings.pause
            guard isDue else { return }
        }
        waitsPosition = position
        let least = shared.isOver ? 0 : LongWaits.least
        let isFindingNames = shared.program.isFindingNames
        guard let found = waitsPass.advance(shared.store, portion: Self.waitPortion, least: least, isFindingNames: isFindingNames) else {
            return
        }
        (waits, waitsListed) = (found, (time, position))
        waits.leaveOut(namedIn: shared.findings.list, in: shared.store)
        if waits.groups.count != before { layOut(in: areas.body, shared) }
    }

    /// The cause of an executor's worst wait.
    func cause(of executor: ExecutorID) -> WaitCauses.Cause? { causes[executor] }

    // MARK: The selection

    private mutating func highlight(_ shared: SharedState) {
        let (row, groups) = (row(shared), noticeCount(shared))
        findings.highlight(row.flatMap { $0 < groups ? areas.firstLine(ofFinding: $0) : nil })
        let executor = row.flatMap { $0 < groups ? nil : $0 - groups }
        func place(in part: Range<Int>) -> Int? { executor.flatMap { part.contains($0) ? $0 - part.lowerBound : nil } }
        main.highlight(place(in: order.quietMains))
        panels.highlight(place(in: order.waited))
        quiet.highlight(place(in: order.others))
    }

    private mutating func select(_ item: Item, _ shared: SharedState) {
        selection = item
        highlight(shared)
        if let row = findings.selected { findings.show(row) }
        if let row = panels.selected { panels.show(row) }
        if let row = quiet.selected { quiet.show(row) }
    }

    private func isQuietSelected(_ shared: SharedState) -> Bool {
        row(shared).map { $0 >= noticeCount(shared) + order.others.lowerBound } ?? false
    }

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        let page = max(2, isQuietSelected(shared) ? quiet.height : panels.height)
        guard let row = row(shared), let target = movement.row(from: row, count: count(shared), page: page) else { return .ignored }
        let before = visible
        select(item(at: target, shared), shared)
        return .changed(if: target != row || visible != before)
    }

    private var visible: [Range<Int>] { [findings.rows, panels.rows, quiet.rows] }

    /// The task of the marked finding or wait, or the marked executor. Nil if nothing waits there and the user has not selected it.
    private func waiting(_ shared: SharedState) -> WaitChain.Subject? {
        let subject: WaitChain.Subject
        switch selection ?? (count(shared) > 0 ? item(at: 0, shared) : nil) {
        case .executor(let executor): subject = .executor(executor)
        case .wait(let task): subject = .task(task)
        case .finding(let key):
            let task = shared.findings.groups.first { FindingKey($0) == key }?.first.task ?? .none
            guard task != .none else { return nil }
            subject = .task(task)
        case nil: return nil
        }
        return selection == nil && WaitChain(of: subject, in: shared.store).isTrivial ? nil : subject
    }

    /// The selected executor, or else the first one: main, if the program uses it.
    private func executorAtCursor(_ shared: SharedState) -> ExecutorID? {
        if let row = row(shared), case .executor(let executor) = item(at: row, shared) { return executor }
        return order.ids.first
    }

    private func searched(_ shared: SharedState) -> SearchedRows {
        let findings = shared.findings
        return SearchedRows(count: count(shared), cursor: row(shared)) { [self] row in
            switch item(at: row, shared) {
            case .finding:
                let group = findings.groups[row]
                return "\(group.rule) \(findings.list?.message(of: group.first, in: shared.history.latest) ?? "")"
            case .wait: return shownWaits[row - findings.groups.count].text(in: shared.store)
            case .executor(let executor): return TaskWords(shared.store).name(executor)
            }
        }
    }

    mutating func open(_ shared: inout SharedState) -> Answer {
        guard let row = row(shared) else {
            shared.notice = "There is nothing to go to yet."
            return .ignored
        }
        switch item(at: row, shared) {
        case .finding(let key):
            guard let group = shared.findings.groups.first(where: { FindingKey($0) == key }) else { return .ignored }
            let task = group.first.task
            let isError = shared.store.task(task)?.state == .faulted
            shared.requests.target = isError ? .error(task) : .finding(key)
        case .wait(let task): return .push(WaitScreen(of: .task(task), isChosen: false))
        case .executor(let executor): shared.requests.target = .executor(executor)
        }
        return .changed
    }

    mutating func leave(_ shared: inout SharedState) -> Answer {
        let before = (row(shared), visible)
        selection = nil
        findings.setTop(0)
        panels.setTop(0)
        quiet.setTop(0)
        return .changed(if: (row(shared), visible) != before)
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        let finding = findings.row(at: point).map { areas.findingLines[$0].finding }
        let executor =
            main.row(at: point) ?? panels.row(at: point).map { $0 + order.waited.lowerBound }
            ?? quiet.row(at: point).map { $0 + order.others.lowerBound }
        let row = finding ?? executor.map { $0 + noticeCount(shared) }
        guard let row, row < count(shared) else { return .ignored }
        let clicked = item(at: row, shared)
        if clicked == selection { return open(&shared) }
        select(clicked, shared)
        return .changed
    }

    mutating func scroll(by rows: Int, at point: Point, _ shared: inout SharedState) {
        if findings.area.contains(point) {
            findings.scroll(by: rows)
        } else if quiet.area.contains(point) || panels.height >= panels.count {
            quiet.scroll(by: rows)
        } else {
            panels.scroll(by: rows.signum())
        }
    }
}
