import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// What keys and mouse do on the Warnings screen.
extension Model {
    private var warningAreas: ListAndPanel { WarningsScreen.areas(areas.body) }

    mutating func arrangeWarnings(at now: UInt64) {
        warnings.arrange(history, isOver: isOver, at: now)
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

    /// From the kinds to their findings, from a finding to the first event that proves it, from an event to its task.
    mutating func openInWarnings() {
        guard let group = warnings.group else { return }
        if let walk = warnings.walk, let evidence = warnings.evidence(walk.event) {
            if evidence.task != .none { open(evidence.task) }
        } else if let finding = warnings.finding {
            walk(to: 0, ofFinding: finding)
        } else {
            warnings.selection = WarningsState.Kind(group)
            select(finding: 0)
        }
    }

    /// From the events that prove a finding back to where the cursor was, from the finding to the kinds.
    mutating func leaveWarnings() {
        if let walk = warnings.walk {
            warnings.walk = nil
            look(at: walk.origin)
        } else if warnings.finding != nil {
            warnings.finding = nil
        } else {
            warnings.selection = nil
        }
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

    // MARK: Evidence

    /// To the next event of the kind's evidence, or the one before: first those of one finding, then those of the next.
    private mutating func walkOn(by step: Int) {
        guard let group = warnings.group else { return }
        warnings.selection = WarningsState.Kind(group)
        guard let finding = warnings.finding, let walk = warnings.walk else {
            return self.walk(to: 0, ofFinding: warnings.finding ?? 0)
        }
        let next = walk.event + step
        if group.findings[finding].evidence.indices.contains(next) {
            self.walk(to: next, ofFinding: finding)
        } else if group.findings.indices.contains(finding + step) {
            self.walk(to: step > 0 ? 0 : group.findings[finding + step].evidence.count - 1, ofFinding: finding + step)
        } else {
            notice = "That was the \(step > 0 ? "last" : "first") event that proves it."
        }
    }

    /// Puts the cursor at an event that proves a finding, and selects its task.
    private mutating func walk(to event: Int, ofFinding finding: Int) {
        let origin = warnings.walk.map(\.origin) ?? (history.isAtLatest ? nil : history.position)
        select(finding: finding)
        // From here on the list stays as it is: at an earlier event there would be less of it.
        warnings.walk = EvidenceWalk(event: event, origin: origin)
        guard let evidence = warnings.evidence(event) else { return }
        guard let number = evidence.number(in: history) else {
            notice = "The trace no longer has that event."
            return
        }
        look(at: number)
        if evidence.task != .none { follow(evidence.task) }
    }

    // MARK: Settings

    mutating func perform(_ command: WarningsCommand) {
        switch command {
        case .nextEvidence: return walkOn(by: 1)
        case .previousEvidence: return walkOn(by: -1)
        case .suppress, .raise, .lower, .reset: break
        }
        var settings = warnings.engine.settings
        if command == .reset {
            settings = warnings.settings
        } else {
            guard let group = warnings.group, let rule = WarningRules.named(group.rule) else { return }
            switch command {
            case .suppress: suppress(group, in: &settings)
            case .raise: settings.thresholds[rule.id] = max(1, settings.threshold(of: rule)) &* 2
            case .lower: settings.thresholds[rule.id] = settings.threshold(of: rule) / 2
            case .reset, .nextEvidence, .previousEvidence: break
            }
            if command != .suppress, rule.threshold == nil { return }
        }
        warnings.engine.settings = settings
        warnings.pastEngine.settings = settings
        warnings.finding = nil
        if warnings.walk != nil { leaveWarnings() }
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
        warnings.walk = nil
        warnings.findingWindow = ListWindow()
        warnings.window.show(row, count: warnings.groups.count, height: warningAreas.list.rows)
        if group.first.task != .none { follow(group.first.task) }
    }

    private mutating func select(finding row: Int) {
        guard let group = warnings.group, group.findings.indices.contains(row) else { return }
        warnings.finding = row
        warnings.walk = nil
        warnings.findingWindow.show(row, count: group.findings.count, height: WarningPanel.findingRows(in: warningAreas.panel))
        if group.findings[row].task != .none { follow(group.findings[row].task) }
    }
}
