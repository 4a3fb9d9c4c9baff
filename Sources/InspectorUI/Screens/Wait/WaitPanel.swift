import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The facts about one link of a wait: the source around its site, its calls, and the other tasks that wait there.
struct WaitPanel {
    /// The site where the link waits.
    let source: String?
    let calls: EntryID
    /// The other tasks with the same calls.
    let others: [TaskID]
    let shared: SharedState

    private static let mostCalls = 12
    private static let mostSourceMargin = 14
    private static let mostNames = 6

    func draw(in rect: Rect, on canvas: inout Canvas) {
        let calls = callLines
        let others = otherLines
        // The source gets the rows that the rest leaves.
        let rest = calls.count + others.count
        let margin = max(1, min(Self.mostSourceMargin, (rect.rows - rest - 2) / 2))
        let rows = excerpt(margin: margin) + calls + others
        for (row, spans) in rows.prefix(rect.rows).enumerated() {
            canvas.write(spans, at: rect.origin.moved(rows: row), end: rect.right - 1)
        }
    }

    private func excerpt(margin: Int) -> [[Span]] {
        guard let excerpt = shared.excerpt(at: source, margin: margin) else { return [] }
        return [excerpt.title] + excerpt.rows(shared.glyphs) + [[]]
    }

    private var callLines: [[Span]] {
        let calls = shared.store.entries.calls(of: self.calls)
        guard calls.count > 1 else { return [] }
        let lines = calls.prefix(Self.mostCalls).enumerated().map { number, call in
            [
                Span(number == 0 ? "  in " : "  from ", .dim), Span(PrintableText.text(call.function), call.isOfDependency ? .dim : .text),
                Span("  " + PrintableText.text(call.site), .dim),
            ]
        }
        return [[Span("Calls", .title, .bold)]] + lines + [[]]
    }

    /// The other tasks with the same wait, by name.
    private var otherLines: [[Span]] {
        let words = TaskWords(shared.store)
        guard !others.isEmpty else { return [] }
        let title = "\(CountText.text(others.count)) more \(others.count == 1 ? "waits" : "wait") there"
        let names = others.prefix(Self.mostNames).map { [Span("  " + words.name(of: $0), .text)] }
        let more = others.count - names.count
        return [[Span(title, .title, .bold)]] + names + (more > 0 ? [[Span("  and \(CountText.text(more)) more", .dim)]] : [])
    }
}
