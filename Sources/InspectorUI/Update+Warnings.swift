import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// What keys and mouse do on the Warnings screen. It tells of the whole trace, wherever the cursor is in time: a warning is no state.
extension Model {
    private var warningAreas: WarningsScreen.Areas { WarningsScreen.areas(areas.body) }

    mutating func arrangeWarnings(at now: UInt64) {
        warnings.arrange(timeline.latest, isOver: hasEnded && !timeline.hasMore, at: now)
        warnings.window.setTop(warnings.window.top, count: warnings.groups.count, height: warningAreas.list.rows)
    }

    mutating func moveInWarnings(_ movement: Movement) {
        if let finding = warnings.finding {
            let count = warnings.group?.findings.count ?? 0
            if let row = movement.row(from: finding, count: count, page: 5) { select(finding: row) }
            return
        }
        let count = warnings.groups.count
        let start = warnings.row ?? 0
        guard count > 0, let row = movement.row(from: start, count: count, page: warningAreas.list.rows) else { return }
        select(kindAt: row)
    }

    /// From the kinds to their findings, from a finding to its task.
    mutating func openInWarnings() {
        guard let group = warnings.group else { return }
        if let finding = warnings.finding {
            if group.findings[finding].task != .none { open(group.findings[finding].task) }
        } else {
            warnings.selection = WarningsState.Kind(group)
            select(finding: 0)
        }
    }

    mutating func leaveWarnings() {
        if warnings.finding != nil { warnings.finding = nil } else { warnings.selection = nil }
    }

    mutating func scrollWarnings(by rows: Int) {
        warnings.window.setTop(warnings.window.top + rows, count: warnings.groups.count, height: warningAreas.list.rows)
    }

    mutating func clickWarnings(_ point: Point) {
        let areas = warningAreas
        guard areas.list.contains(point) else { return }
        let row = warnings.window.top + point.row - areas.list.top
        guard row < warnings.groups.count else { return }
        if row == warnings.row, warnings.selection != nil { openInWarnings() } else { select(kindAt: row) }
    }

    mutating func perform(_ command: WarningsCommand) {
        var settings = warnings.engine.settings
        if command == .reset {
            settings = warnings.settings
        } else {
            guard let group = warnings.group, let rule = WarningRules.named(group.rule) else { return }
            switch command {
            case .suppress: suppress(group, in: &settings)
            case .raise: settings.thresholds[rule.id] = max(1, settings.threshold(of: rule)) &* 2
            case .lower: settings.thresholds[rule.id] = settings.threshold(of: rule) / 2
            case .reset: break
            }
            if command != .suppress, rule.threshold == nil { return }
        }
        warnings.engine.settings = settings
        warnings.finding = nil
        warnings.restart()
    }

    private func suppress(_ group: WarningGroup, in settings: inout WarningSettings) {
        let finding = warnings.finding.map { group.findings[$0] } ?? group.first
        let name = store.entries.label(finding.label)?.name ?? store.description(of: finding.executor).name
        settings.suppressions.append(WarningSuppression(rule: group.rule, name: NamePattern(name)))
    }

    private mutating func select(kindAt row: Int) {
        let group = warnings.groups[row]
        warnings.selection = WarningsState.Kind(group)
        warnings.finding = nil
        warnings.findingWindow = ListWindow()
        warnings.window.show(row, count: warnings.groups.count, height: warningAreas.list.rows)
        if group.first.task != .none { follow(group.first.task) }
    }

    private mutating func select(finding row: Int) {
        guard let group = warnings.group, group.findings.indices.contains(row) else { return }
        warnings.finding = row
        warnings.findingWindow.show(row, count: group.findings.count, height: WarningPanel.findingRows(in: warningAreas.panel))
        if group.findings[row].task != .none { follow(group.findings[row].task) }
    }
}
