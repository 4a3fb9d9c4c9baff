import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The findings, one line per rule, and the events that prove the selected one.
struct WarningsScreen: Layer {
    static let name = ScreenName("Warnings", short: "Warn", shortcut: "7")
    static let modes = [
        KeyMode(
            "Warnings",
            KeyRow.list + [
                .enter("open", "from a kind to its findings, from one to its task"),
                KeyRow(
                    .character("n"), shown: "n p", footer: "evidence",
                    help: "the next event that proves it, with the time cursor there, or the one before",
                    answer { $0.walkOn(by: 1, &$1) }),
                KeyRow(.character("p"), shown: "n p", answer { $0.walkOn(by: -1, &$1) }),
                KeyRow(
                    .character("s"), shown: "s", footer: "suppress", help: "suppress this rule for tasks with this name",
                    answer { $0.suppress(&$1) }),
                KeyRow(
                    .character("+"), .character("="), shown: "+ -", footer: "threshold", help: "double the rule's threshold, or halve it",
                    answer { $0.changeThreshold(&$1) { max(1, $0) &* 2 } }),
                KeyRow(.character("-"), shown: "+ -", answer { $0.changeThreshold(&$1) { $0 / 2 } }),
                KeyRow(
                    .character("u"), shown: "u", footer: "undo", help: "the settings as they were at the start",
                    answer { $0.use($1.findings.settings, &$1) }),
                .escape("back", "the cursor back to where it was, then back to the kinds"),
            ])
    ]
    static let facets = Facets<Self>(
        search: .init(rows: { $0.searched($1) }, select: { $0.select(kindAt: $1, &$2) }), arrive: { $0.arrive(at: $1, &$2) },
        site: { $0.group($1)?.site },
        depth: { ($0.finding == nil ? 0 : 1) + ($1.findings.walk == nil ? 0 : 1) },
        idleKeys: { _, shared in shared.findings.groups.isEmpty ? keysOfFindings : [] })

    private static let keysOfFindings = KeyRow.keysOfRows + ["n", "s", "+"].map { Key.character($0) }

    /// The selected kind. Nil follows the first kind.
    private var selection: FindingKey?
    /// The selected finding of that kind. Nil while the keys move among the kinds.
    private(set) var finding: Int?
    private(set) var frame = ListAndPanel(.empty, listRows: 0)
    /// The list of kinds.
    private(set) var pane = ListPane()
    /// The list of the shown kind's findings.
    private(set) var findings = ListPane()

    var hasSelection: Bool { selection != nil }

    private func row(_ shared: SharedState) -> Int? {
        guard let selection else { return shared.findings.groups.isEmpty ? nil : 0 }
        return shared.findings.groups.firstIndex { FindingKey($0) == selection }
    }

    /// The shown kind.
    func group(_ shared: SharedState) -> WarningGroup? { row(shared).map { shared.findings.groups[$0] } }

    /// An event that proves the selected finding.
    private func evidence(_ index: Int, _ shared: SharedState) -> Evidence? {
        guard let group = group(shared), let finding, group.findings.indices.contains(finding) else { return nil }
        let evidence = group.findings[finding].evidence
        return evidence.indices.contains(index) ? evidence[index] : nil
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        // The sentences of the other rules, below the list, are long.
        frame = ListAndPanel(body, listRows: min(shared.findings.groups.count + 2, body.rows * 2 / 5), panelColumns: 100)
        let group = group(shared)
        if let finding, let count = group?.findings.count { self.finding = min(finding, count - 1) }
        pane.layOut(in: frame.list, count: shared.findings.groups.count)
        pane.highlight(row(shared))
        // The rule's other findings stand below its sentence and have all the room that its events leave. In a tall panel, their sentences
        // have two lines.
        let rows = frame.panel.rows
        let isTall = rows >= Self.tallPanelRows
        let rowHeight = isTall && group.map { isCut($0, columns: frame.panel.columns, shared) } ?? false ? 2 : 1
        let count = group?.findings.count ?? 0
        let left = min(count * rowHeight, rows - 1 - (panel(shared)?.lineCount(columns: frame.panel.columns) ?? 0))
        let others = (group?.count ?? 0) > 1 ? max(1, rows / (isTall ? 2 : 4), left) + 1 : 0
        // The list does not move while the findings are walked through, so it begins below the longest of them.
        let top = min(rows - others, group.map { longest(of: $0, shared) } ?? 0)
        findings.layOut(in: frame.panel.split(top: others > 0 ? max(0, top) + 1 : rows).rest, count: count, rowHeight: rowHeight)
        findings.highlight(finding)
    }

    /// The selected kind. Nil without a finding.
    func panel(_ shared: SharedState) -> WarningPanel? {
        guard let list = shared.findings.list, let group = group(shared) else { return nil }
        return WarningPanel(group: group, list: list, finding: finding, findings: findings, shared: shared)
    }

    private static let tallPanelRows = 24
    /// The number of findings whose sentences are measured.
    private static let mostMeasured = 32

    /// The most lines of a finding and its events.
    private func longest(of group: WarningGroup, _ shared: SharedState) -> Int {
        guard let list = shared.findings.list else { return 0 }
        return (0..<min(group.findings.count, Self.mostMeasured)).reduce(panel(shared)?.lineCount(columns: frame.panel.columns) ?? 0) {
            let panel = WarningPanel(group: group, list: list, finding: $1, findings: findings, shared: shared)
            return max($0, panel.lineCount(columns: frame.panel.columns))
        }
    }

    private func isCut(_ group: WarningGroup, columns: Int, _ shared: SharedState) -> Bool {
        guard let list = shared.findings.list else { return false }
        return group.findings.prefix(Self.mostMeasured).contains { finding in
            CharacterWidth.of(shared.sentence(list.message(of: finding, in: shared.history.latest))) > columns - WarningPanel.timeColumns
                - 1
        }
    }

    func isSettled(_ shared: SharedState) -> Bool { shared.findings.isListed(shared.history, isOver: shared.isOver) }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        let before = seen(shared)
        if finding != nil {
            if let row = findings.target(of: movement) { select(finding: row, &shared) }
        } else if let row = pane.target(of: movement) {
            select(kindAt: row, &shared)
        }
        return .changed(if: seen(shared) != before)
    }

    /// What the keys change.
    private func seen(_ shared: SharedState) -> [AnyHashable] {
        [row(shared), finding, shared.findings.walk?.event, pane.rows, findings.rows, shared.findings.settingsInForce]
    }

    private mutating func arrive(at target: SharedState.Target, _ shared: inout SharedState) -> Bool {
        guard case .finding(let finding) = target,
            let row = shared.findings.groups.firstIndex(where: { FindingKey($0) == finding })
        else { return false }
        pane.setCount(shared.findings.groups.count)
        select(kindAt: row, &shared)
        return true
    }

    /// Moves from the kinds to their findings, and from a finding, or from an event that proves it, to its task. A kind with one finding is
    /// that finding.
    mutating func open(_ shared: inout SharedState) -> Answer {
        guard let group = group(shared) else { return .ignored }
        selection = FindingKey(group)
        if let walk = shared.findings.walk, let evidence = evidence(walk.event, shared) {
            return evidence.task == .none ? .ignored : .detail(of: evidence.task)
        }
        if let finding = finding ?? (group.count == 1 ? 0 : nil) { return goToTask(of: group.findings[finding], at: finding, &shared) }
        select(finding: 0, &shared)
        return .changed
    }

    /// Opens the finding's task, or its executor if it has no task. Without both, goes to the event that did the harm.
    private mutating func goToTask(of finding: Finding, at row: Int, _ shared: inout SharedState) -> Answer {
        if finding.task != .none, shared.store.row(of: finding.task) != nil {
            shared.follow(finding.task)
            shared.notice = "This is the finding's task. Esc goes back; there n walks the events that prove it."
            return .detail(of: finding.task)
        }
        if finding.executor != .none {
            shared.requests.target = .executor(finding.executor)
            shared.notice = "This is the finding's executor. Esc goes back; there n walks the events that prove it."
        } else {
            walk(to: finding.harm, ofFinding: row, &shared)
            shared.notice = shared.notice ?? "Paused at the event that did the harm. Esc goes back."
        }
        return .changed
    }

    /// Moves from the events of a finding back to the cursor's earlier place, or from the finding to the kinds.
    mutating func leave(_ shared: inout SharedState) -> Answer {
        let before = seen(shared)
        if shared.findings.walk != nil {
            leaveWalk(&shared)
            // A kind with one finding is that finding.
            if group(shared)?.count == 1 { finding = nil }
        } else if finding != nil {
            finding = nil
        } else {
            selection = nil
        }
        return .changed(if: seen(shared) != before)
    }

    private func leaveWalk(_ shared: inout SharedState) {
        guard let walk = shared.findings.walk else { return }
        shared.findings.walk = nil
        shared.look(at: walk.origin)
    }

    private func searched(_ shared: SharedState) -> SearchedRows {
        let findings = shared.findings
        return SearchedRows(count: findings.groups.count, cursor: row(shared)) { row in
            let group = findings.groups[row]
            let message = findings.list?.message(of: group.first, in: shared.history.latest) ?? ""
            return "\(group.severity.name) \(group.rule) \(group.site) \(message)"
        }
    }

    mutating func scroll(by rows: Int, at point: Point, _ shared: inout SharedState) {
        if findings.area.contains(point) { findings.scroll(by: rows) } else { pane.scroll(by: rows) }
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        if let row = findings.row(at: point), let group = group(shared) {
            if row == finding { return open(&shared) }
            selection = FindingKey(group)
            select(finding: row, &shared)
            return .changed
        }
        guard let row = pane.row(at: point) else { return .ignored }
        if row == pane.selected, selection != nil { return open(&shared) }
        select(kindAt: row, &shared)
        return .changed
    }

    private mutating func select(kindAt row: Int, _ shared: inout SharedState) {
        let group = shared.findings.groups[row]
        selection = FindingKey(group)
        finding = nil
        shared.findings.walk = nil
        findings.setTop(0)
        pane.select(row)
        if group.first.task != .none { shared.follow(group.first.task) }
    }

    private mutating func select(finding row: Int, _ shared: inout SharedState) {
        guard let group = group(shared), group.findings.indices.contains(row) else { return }
        finding = row
        shared.findings.walk = nil
        findings.setCount(group.findings.count)
        findings.select(row)
        if group.findings[row].task != .none { shared.follow(group.findings[row].task) }
    }

    // MARK: Evidence

    /// Moves to the next or the previous event of the kind's evidence: all events of one finding, then those of the next.
    private mutating func walkOn(by step: Int, _ shared: inout SharedState) -> Answer {
        guard let group = group(shared) else { return .ignored }
        selection = FindingKey(group)
        guard let finding, let walk = shared.findings.walk else {
            self.walk(to: 0, ofFinding: finding ?? 0, &shared)
            return .changed
        }
        let next = walk.event + step
        if group.findings[finding].evidence.indices.contains(next) {
            self.walk(to: next, ofFinding: finding, &shared)
        } else if group.findings.indices.contains(finding + step) {
            self.walk(to: step > 0 ? 0 : group.findings[finding + step].evidence.count - 1, ofFinding: finding + step, &shared)
        } else {
            shared.notice = "That was the \(step > 0 ? "last" : "first") event that proves it."
        }
        return .changed
    }

    /// Moves the cursor to an event that proves a finding, and selects the event's task.
    private mutating func walk(to event: Int, ofFinding finding: Int, _ shared: inout SharedState) {
        let history = shared.history
        let origin = shared.findings.walk.map(\.origin) ?? (history.isAtLatest ? nil : history.position)
        select(finding: finding, &shared)
        // The list does not change during the walk, because an earlier state would have fewer findings.
        shared.findings.walk = EvidenceWalk(event: event, origin: origin)
        guard let evidence = evidence(event, shared) else { return }
        guard let number = evidence.number(in: history) else {
            shared.notice = "The trace no longer has that event."
            return
        }
        shared.look(at: number)
        if evidence.task != .none { shared.follow(evidence.task) }
    }

    // MARK: Settings

    private mutating func changeThreshold(_ shared: inout SharedState, _ change: (UInt64) -> UInt64) -> Answer {
        guard let rule = group(shared).flatMap({ WarningRules.named($0.rule) }), rule.threshold != nil else { return .ignored }
        var settings = shared.findings.settingsInForce
        settings.thresholds[rule.id] = change(settings.threshold(of: rule))
        return use(settings, &shared)
    }

    /// Suppresses the rule's findings for tasks with the name of the selected finding.
    private mutating func suppress(_ shared: inout SharedState) -> Answer {
        guard let group = group(shared) else { return .ignored }
        let finding = finding.map { group.findings[$0] } ?? group.first
        let store = shared.store
        let name = store.entries.label(finding.label)?.name ?? store.description(of: finding.executor).name
        var settings = shared.findings.settingsInForce
        settings.suppressions.append(WarningSuppression(rule: group.rule, name: name))
        return use(settings, &shared)
    }

    private mutating func use(_ settings: WarningSettings, _ shared: inout SharedState) -> Answer {
        let before = seen(shared)
        shared.findings.settingsInForce = settings
        finding = nil
        leaveWalk(&shared)
        shared.findings.restart()
        return .changed(if: seen(shared) != before)
    }
}
