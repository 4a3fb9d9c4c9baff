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
        for (row, check) in checks.prefix(fitting).enumerated() { draw(check, in: list.row(row), on: &canvas) }
        guard fitting < checks.count, list.rows > 0 else { return }
        let more = "\(Character(shared.glyphs[.ellipsis])) and \(CountText.text(checks.count - fitting, "more rule"))"
        canvas.write(more, at: list.row(fitting).origin.moved(columns: 3), style: Style(.dim))
    }

    private func draw(_ check: RuleCheck, in rect: Rect, on canvas: inout Canvas) {
        guard let rule = WarningRules.named(check.rule) else { return }
        let glyph = (check.isChecked ? DisplayedState.succeeded : .skipped).canvasGlyph
        canvas.put(glyph, at: rect.origin.moved(columns: 1), style: Style(check.isChecked ? .good : .skipped))
        canvas.write(rule.id, at: rect.origin.moved(columns: 3), style: Style(.text, .bold), limit: 19)
        let room = rect.columns - 24
        let text = check.why.map { "not checked: \($0)" } ?? summary(of: rule)
        canvas.write(text.fittingWords(room, shared.glyphs), at: rect.origin.moved(columns: 23), style: Style(.dim), limit: room)
    }

    private func summary(of rule: any WarningRule) -> String {
        guard let unit = rule.threshold?.unit else { return rule.summary }
        let threshold = WarningThreshold(value: shared.findings.settingsInForce.threshold(of: rule), unit: unit)
        return rule.summary + " (over \(threshold.text(isASCII: shared.isASCII)))"
    }
}
