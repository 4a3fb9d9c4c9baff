import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// One kind of findings: the rule and its threshold, the finding in a sentence, the events that prove it, and the others of its kind.
struct WarningPanel {
    let model: Model

    /// Lines for the other findings of the kind.
    static func findingRows(in rect: Rect) -> Int { max(1, rect.rows / 4) }

    func draw(in rect: Rect, on canvas: inout Canvas) {
        guard let group = model.warnings.group, let list = model.warnings.list else { return }
        let finding = model.warnings.finding.map { group.findings[$0] } ?? group.first
        var lines = heading(of: group)
        lines += WrappedText.lines(
            list.message(of: finding, in: model.history.latest, isASCII: model.glyphs.isASCII), columns: rect.columns - 2
        ).map { [Span(" " + $0, .text)] }
        let others = group.count > 1 ? Self.findingRows(in: rect) + 1 : 0
        let left = max(1, rect.rows - lines.count - others)
        let walked = model.warnings.walk?.event
        // The event that is walked to is among those that there is room for.
        let first = max(0, (walked ?? 0) - max(0, left - 2))
        let evidence = finding.evidence.dropFirst(first).prefix(left)
        let place = lines.count
        lines += evidence.map(proof)
        if finding.evidence.count > first + evidence.count {
            lines[lines.count - 1] = [Span("   \(more(finding.evidence.count - first - left + 1))", .dim)]
        }
        for (row, spans) in lines.prefix(rect.rows).enumerated() {
            canvas.write(spans, at: rect.origin.moved(rows: row), end: rect.right)
            if let walked, row == place + walked - first { canvas.restyle(rect.row(row), .selected) }
        }
        if others > 0 { drawFindings(of: group, list, in: rect.split(bottom: others).0, on: &canvas) }
    }

    private func heading(of group: WarningGroup) -> [[Span]] {
        guard let rule = WarningRules.named(group.rule) else { return [] }
        var spans = [Span(" \(rule.id)", .title, .bold), Span("  \(rule.summary)", .dim)]
        if let unit = rule.threshold?.unit {
            let threshold = WarningThreshold(value: model.warnings.engine.settings.threshold(of: rule), unit: unit)
            spans.append(Span("  (over \(threshold.text(isASCII: model.glyphs.isASCII)))", .dim))
        }
        return [spans]
    }

    /// `  12.104  faulted     saveRecord (3) on net`.
    private func proof(_ evidence: Evidence) -> [Span] {
        let words = TaskWords(model.history.latest)
        let time = evidence.at.map { ClockText.text($0) } ?? ""
        let name = model.history.latest.task(evidence.task).map { words.name(of: $0) }
        let task = evidence.task == .none ? "a closure" : "\(name ?? "task") (\(evidence.task.rawValue))"
        let place = evidence.executor == .none ? "" : " on \(words.name(evidence.executor))"
        return [
            Span("  \(String(repeating: " ", count: max(0, 9 - time.count)))\(time)  ", .dim),
            Span(EventDescription[evidence.kind].word.padding(to: 15), .text, .bold), Span(task, .text), Span(place, .dim),
        ]
    }

    private func more(_ count: Int) -> String {
        "\(Character(model.glyphs[.ellipsis])) and \(CountText.text(count, "more event"))"
    }

    private func drawFindings(of group: WarningGroup, _ list: WarningList, in rect: Rect, on canvas: inout Canvas) {
        let (title, rows) = rect.split(top: 1)
        let kept = group.findings.count < group.count ? ", the first \(CountText.text(group.findings.count)) listed" : ""
        canvas.write(
            " All \(CountText.text(group.count)) of this kind\(kept)", at: title.origin, style: Style(.title), limit: title.columns)
        for (line, row) in model.warnings.findingWindow.rows(count: group.findings.count, height: rows.rows).enumerated() {
            let finding = group.findings[row]
            let area = rows.row(line)
            let time = ClockText.text(finding.at)
            let message = list.message(of: finding, in: model.history.latest, isASCII: model.glyphs.isASCII)
            canvas.write(
                [Span("  \(String(repeating: " ", count: max(0, 9 - time.count)))\(time)  ", .dim), Span(message, .text)],
                at: area.origin, end: area.right)
            if row == model.warnings.finding { canvas.restyle(area, .selected) }
        }
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
