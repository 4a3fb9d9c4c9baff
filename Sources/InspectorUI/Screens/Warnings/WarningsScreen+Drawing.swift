import TerminalCanvas
import TraceAnalysis
import TraceStore

extension WarningsScreen {
    /// The rules without findings, in the room below the list.
    private func drawOtherRules(_ list: WarningList, _ shared: SharedState, on canvas: inout Canvas) {
        let room = frame.list.rows(min(frame.list.rows, list.groups.count + 1)..<frame.list.rows)
        let found = Set(list.groups.map(\.rule))
        let checks = list.checks.filter { !found.contains($0.rule) }
        guard room.rows >= Self.leastRuleRows, !checks.isEmpty else { return }
        RuleListPanel(note: "The other rules:", checks: checks, shared: shared).draw(in: room, on: &canvas)
    }

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        guard let list = shared.findings.list, !list.groups.isEmpty else {
            let checks = shared.findings.list?.checks ?? []
            guard !checks.isEmpty, frame.body.rows >= Self.leastRuleRows else {
                return EmptyNote.draw(emptyText(shared), in: frame.body, on: &canvas)
            }
            return RuleListPanel(note: emptyText(shared), checks: checks, shared: shared).draw(in: frame.body, on: &canvas)
        }
        frame.drawRule(on: &canvas)
        let columns = WarningColumns(width: frame.list.columns)
        let titles = [("Severity", columns.severity, Alignment.left), ("Rule", columns.rule, .left), ("Count", columns.count, .right)]
        canvas.heading(titles + [("Newest", columns.newest, .right), ("Where", columns.site, .left)], in: frame.heading)
        pane.draw(on: &canvas) { row, rowArea, canvas in draw(list.groups[row], columns, in: rowArea, on: &canvas) }
        drawOtherRules(list, shared, on: &canvas)
        if let unchecked = list.checks.uncheckedText, list.groups.count < frame.list.rows {
            // In the last row, below the findings.
            let point = Point(column: frame.list.left, row: frame.list.bottom - 1)
            canvas.write(" Not checked: \(unchecked)", at: point, style: Style(.dim), limit: frame.list.columns)
        }
        guard let panel = panel(shared) else { return }
        canvas.clipped(to: frame.panel) { panel.draw(in: frame.panel, on: &$0) }
    }

    /// The least number of rows of a screen without findings that lists the rules.
    private static let leastRuleRows = 12

    private func emptyText(_ shared: SharedState) -> String {
        guard shared.findings.list != nil || shared.history.isAtLatest else {
            return "Looking at what had happened by this event: \(shared.findings.seenCount * 100 / max(1, shared.history.position)) %."
        }
        let rest = suppressedText(shared)
        guard shared.history.isAtLatest else { return "No rule had found anything by this event." + rest }
        let unchecked = shared.findings.list?.checks.uncheckedText.map { " Not checked: \($0)." } ?? ""
        guard !shared.store.isSampled else { return "No finding." + rest + unchecked }
        let found = "No rule has found anything so far. Findings appear here, with their evidence."
        return (shared.program.hasEnded ? "No rule found anything." : found) + rest + unchecked
    }

    /// The number of suppressed findings. `u` lists again only those that the user has suppressed on this screen.
    private func suppressedText(_ shared: SharedState) -> String {
        let suppressed = shared.findings.list?.suppressedCount ?? 0
        guard suppressed > 0 else { return "" }
        let (atStart, now) = (shared.findings.settings.suppressions, shared.findings.settingsInForce.suppressions)
        let back = atStart.isEmpty ? ": u lists them again" : ": u lists again what was suppressed here"
        let way = now == atStart ? " by the settings" : back
        return " \(CountText.text(suppressed, "finding")) suppressed\(way)."
    }

    private func draw(_ group: WarningGroup, _ columns: WarningColumns, in rect: Rect, on canvas: inout Canvas) {
        func point(_ range: Range<Int>) -> Point { Point(column: rect.left + range.lowerBound, row: rect.top) }
        let style = Style(group.severity.role)
        canvas.put(group.severity.canvasGlyph, at: point(columns.severity), style: style)
        canvas.write(
            group.severity.name, at: point(columns.severity).moved(columns: 2), style: style, limit: columns.severity.count - 2)
        canvas.write(group.rule, at: point(columns.rule), style: Style(.text, .bold), limit: columns.rule.count)
        canvas.write(CountText.text(group.count), at: point(columns.count), style: Style(.text), limit: columns.count.count, align: .right)
        canvas.write(
            ClockText.text(group.newest.at), at: point(columns.newest), style: Style(.dim), limit: columns.newest.count, align: .right)
        // The file tells more than its module.
        let site =
            CharacterWidth.of(group.site) > columns.site.count
            ? group.site.split(separator: "/").last.map(String.init) ?? group.site : group.site
        canvas.write(site, at: point(columns.site), style: Style(.dim), limit: columns.site.count)
    }
}

/// The columns of a kind's line.
struct WarningColumns {
    let severity = 1..<11
    let rule = 12..<30
    let count = 30..<36
    let newest = 37..<46
    let site: Range<Int>

    init(width: Int) {
        site = 48..<max(49, width - 1)
    }
}
