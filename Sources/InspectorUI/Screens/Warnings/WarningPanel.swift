import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Draws one kind of finding: the rule and its threshold, the finding's sentence, the events that prove it, and the other findings of the
/// kind.
struct WarningPanel {
    let group: WarningGroup
    let list: WarningList
    /// The selected finding.
    let finding: Int?
    let findings: ListPane
    let shared: SharedState

    /// The columns of a finding's time, with the blanks around it.
    static let timeColumns = 13

    func draw(in rect: Rect, on canvas: inout Canvas) {
        let finding = shown
        var lines = head(columns: rect.columns)
        let others = group.count > 1 ? findings.area.rows + 1 : 0
        let left = max(1, rect.rows - lines.count - others)
        let walked = shared.findings.walk?.event
        // The current event of the walk is always among the events that match.
        let first = max(0, (walked ?? 0) - max(0, left - 2))
        let evidence = finding.evidence.dropFirst(first).prefix(left)
        let top = lines.count
        lines += evidence.map { proof($0, columns: rect.columns) }
        if finding.evidence.count > first + evidence.count {
            lines[lines.count - 1] = [Span("   \(more(finding.evidence.count - first - left + 1))", .dim)]
        }
        for (row, spans) in lines.prefix(rect.rows).enumerated() {
            canvas.write(spans, at: rect.origin.moved(rows: row), end: rect.right)
            if let walked, row == top + walked - first { canvas.restyle(rect.row(row), .selected) }
        }
        if others > 0 { drawFindings(on: &canvas) }
        drawSource(of: finding, below: others > 0 ? findings.end : rect.top + min(rect.rows, lines.count), in: rect, on: &canvas)
    }

    /// The source at the finding's place, in the room at the bottom.
    private func drawSource(of finding: Finding, below end: Int, in rect: Rect, on canvas: inout Canvas) {
        let room = rect.split(top: end + 1 - rect.top).rest
        guard room.rows >= 3, let site = list.site(of: finding, in: shared.history.latest),
            let excerpt = shared.excerpt(at: site, margin: min(8, (room.rows - 2) / 2))
        else { return }
        for (row, spans) in excerpt.rows(shared.glyphs).prefix(room.rows).enumerated() {
            canvas.write(spans, at: room.origin.moved(columns: 2, rows: row), end: room.right - 1)
        }
    }

    /// The number of lines of the finding and its events.
    func lineCount(columns: Int) -> Int { head(columns: columns).count + shown.evidence.count }

    private var shown: Finding { finding.map { group.findings[$0] } ?? group.first }

    /// The rule and the finding's sentence.
    private func head(columns: Int) -> [[Span]] {
        let message = shared.sentence(list.message(of: shown, in: shared.history.latest, isASCII: shared.isASCII))
        return heading(columns: columns) + WrappedText.lines(message, columns: columns - 2).map { [Span(" " + $0, .text)] }
    }

    private func heading(columns: Int) -> [[Span]] {
        guard let rule = WarningRules.named(group.rule) else { return [] }
        return WrappedText.lines(shared.summary(of: rule), columns: columns - rule.id.count - 4).enumerated().map { number, text in
            let id = number == 0 ? rule.id : String(repeating: " ", count: rule.id.count)
            return [Span(" \(id)", .title, .bold), Span("  \(text)", .dim)]
        }
    }

    /// `  12.104  faulted     saveRecord (3) on net`.
    private func proof(_ evidence: Evidence, columns: Int) -> [Span] {
        let words = TaskWords(shared.history.latest)
        let time = evidence.at.map { ClockText.text($0) } ?? ""
        let name = shared.history.latest.task(evidence.task).map { words.name(of: $0) }
        let number = evidence.task == .none ? "" : " (\(evidence.task.shortWords))"
        let task = evidence.task == .none ? words.name(of: .none, closure: evidence.label) : name ?? "task"
        let executor = evidence.executor == .none ? "" : " on \(words.name(evidence.executor))"
        let head = [
            Span("  \(String(repeating: " ", count: max(0, 9 - time.count)))\(time)  ", .dim),
            Span(EventDescription[evidence.kind].word.padding(to: 15), .text, .bold),
        ]
        let room = columns - head.reduce(number.count + CharacterWidth.of(executor)) { $0 + $1.width }
        return head + [Span(task.fittingName(max(16, room), shared.glyphs) + number, .text), Span(executor, .dim)]
    }

    private func more(_ count: Int) -> String {
        "\(Character(shared.glyphs[.ellipsis])) and \(CountText.text(count, "more event"))"
    }

    private func drawFindings(on canvas: inout Canvas) {
        let kept = group.findings.count < group.count ? ", the first \(CountText.text(group.findings.count)) listed" : ""
        canvas.write(
            " All \(CountText.text(group.count)) of this kind\(kept)", at: findings.area.origin.moved(rows: -1), style: Style(.title),
            limit: findings.area.columns)
        findings.draw(on: &canvas) { row, rowArea, canvas in
            let finding = group.findings[row]
            let time = ClockText.text(finding.at)
            let message = shared.sentence(list.message(of: finding, in: shared.history.latest, isASCII: shared.isASCII))
            let head = "  \(String(repeating: " ", count: max(0, 9 - time.count)))\(time)  "
            canvas.write(head, at: rowArea.origin, style: Style(.dim))
            let room = rowArea.columns - head.count - 1
            for (line, words) in WrappedText.lines(message, columns: room, rows: rowArea.rows, shared.glyphs).enumerated() {
                canvas.write(words, at: rowArea.origin.moved(columns: head.count, rows: line), style: Style(.text), limit: room)
            }
        }
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
