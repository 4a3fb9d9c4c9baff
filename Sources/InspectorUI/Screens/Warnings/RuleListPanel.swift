import TerminalCanvas
import TraceAnalysis

/// Draws the rules where no rule has a finding: a sentence, and each rule with its threshold and the problem that it looks for, or with the
/// reason why it was not checked.
struct RuleListPanel {
    let note: String
    let checks: [RuleCheck]
    let shared: SharedState

    func draw(in rect: Rect, on canvas: inout Canvas) {
        let lines = WrappedText.lines(note, columns: rect.columns - 2)
        for (row, line) in lines.prefix(3).enumerated() {
            canvas.write(line, at: rect.row(row).origin.moved(columns: 1), style: Style(.text), limit: rect.columns - 2)
        }
        let list = rect.split(top: min(3, lines.count) + 1).rest
        // A list that does not fit ends with the number of the others.
        let fitting = checks.count <= list.rows ? checks.count : max(0, list.rows - 1)
        // From the top, whole sentences as far as the rows suffice.
        var spare = list.rows - checks.count
        let isRoomy = list.columns >= Self.leastWideColumns || spare > checks.count / 2
        let column = isRoomy ? Self.wideTextColumn : Self.textColumn
        let room = list.columns - column - 1
        var row = 0
        for check in checks.prefix(fitting) {
            let whole = WrappedText.lines(text(of: check), columns: room)
            let isWhole = whole.count - 1 <= max(0, spare)
            let lines = isWhole ? whole : [text(of: check).fittingWords(room, shared.glyphs)]
            spare -= lines.count - 1
            draw(check, lines, at: column, in: list.rows(row..<row + lines.count), on: &canvas)
            row += lines.count
        }
        guard fitting < checks.count, list.rows > 0 else { return }
        let more = "\(Character(shared.glyphs[.ellipsis])) and \(CountText.text(checks.count - fitting, "more rule"))"
        canvas.write(more, at: list.row(fitting).origin.moved(columns: 3), style: Style(.dim))
    }

    /// The column of the sentences, and the one beside whole names of rules.
    private static let (textColumn, wideTextColumn) = (23, 27)
    /// The width from which names are whole whatever the number of rows.
    private static let leastWideColumns = 100

    private func draw(_ check: RuleCheck, _ lines: [String], at column: Int, in rect: Rect, on canvas: inout Canvas) {
        let glyph = (check.isChecked ? DisplayedState.succeeded : .skipped).canvasGlyph
        canvas.put(glyph, at: rect.origin.moved(columns: 1), style: Style(check.isChecked ? .good : .skipped))
        canvas.write(check.rule, at: rect.origin.moved(columns: 3), style: Style(.text, .bold), limit: column - 4)
        for (row, line) in lines.enumerated() {
            canvas.write(line, at: rect.row(row).origin.moved(columns: column), style: Style(.dim), limit: rect.columns - column - 1)
        }
    }

    private func text(of check: RuleCheck) -> String {
        check.why.map { "not checked: \($0)" } ?? WarningRules.named(check.rule).map { shared.summary(of: $0) } ?? ""
    }
}

extension SharedState {
    /// What a rule looks for, with the threshold in force.
    func summary(of rule: any WarningRule) -> String {
        guard let unit = rule.threshold?.unit else { return rule.summary }
        let threshold = WarningThreshold(value: findings.settingsInForce.threshold(of: rule), unit: unit)
        return rule.summary + " (over \(threshold.text(isASCII: isASCII)))"
    }
}
