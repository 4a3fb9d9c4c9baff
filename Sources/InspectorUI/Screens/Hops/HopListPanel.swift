import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Draws the hops of one cell: time, task, wait, and class.
struct HopListPanel {
    let ends: HopEnds
    let cell: HopCell
    let hops: [ClassedHop]
    let isByWait: Bool
    let shared: SharedState

    private var store: TraceStore { shared.store }

    func draw(title: Rect, pane: ListPane, on canvas: inout Canvas) {
        drawTitle(in: title, on: &canvas)
        pane.draw(on: &canvas) { row, place, canvas in draw(hops[row], in: place, on: &canvas) }
    }

    private func drawTitle(in rect: Rect, on canvas: inout Canvas) {
        canvas.horizontalLine(at: rect.origin, columns: rect.columns)
        let words = TaskWords(store)
        let arrow = Character(shared.glyphs[.arrow])
        var spans = [
            Span(" \(words.name(ends.from)) \(arrow) \(words.name(ends.to)) ", .title, .bold),
            Span("\(CountText.text(cell.count, "hop"))", .text),
        ]
        for hopClass in HopClass.allCases {
            let count = cell.count(of: hopClass)
            guard count > 0 else { continue }
            let text = count == cell.count ? ", all \(hopClass.name)" : ", \(CountText.text(count)) \(hopClass.name)"
            spans.append(Span(text, hopClass.isOdd ? .warning : .dim))
        }
        if cell.waits.count > 0 {
            spans.append(Span(", wait p50 \(shared.duration(cell.p50)), p99 \(shared.duration(cell.p99))", .dim))
        }
        spans.append(Span(isByWait ? ", longest wait first " : ", newest first ", .dim))
        canvas.write(spans, at: rect.origin.moved(columns: 1), end: rect.right - 1)
    }

    private func draw(_ hop: ClassedHop, in rect: Rect, on canvas: inout Canvas) {
        let isWide = rect.columns >= 90
        let name = max(16, min(40, rect.columns - 46))
        canvas.write(ClockText.precise(hop.hop.at), at: rect.origin.moved(columns: 1), style: Style(.dim))
        canvas.write(shared.name(of: hop.hop.task), at: rect.origin.moved(columns: 15), limit: name)
        var column = rect.left + 15 + name + 1
        let wait = hop.hop.wait.map { "waited " + shared.duration($0) } ?? "waits"
        canvas.write(
            wait, at: Point(column: column, row: rect.top), style: Style(hop.hop.wait == nil ? .queued : .text), limit: 16, align: .right)
        column += 18
        canvas.write(
            hop.hopClass.name, at: Point(column: column, row: rect.top), style: Style(hop.hopClass.isOdd ? .warning : .dim), limit: 11)
        guard isWide, let task = store.task(hop.hop.task) else { return }
        column += 13
        let mark = StateMark(task)
        canvas.put(mark.canvasGlyph, at: Point(column: column, row: rect.top), style: Style(mark.role))
        canvas.write(mark.word, at: Point(column: column + 2, row: rect.top), style: Style(mark.role))
    }
}

extension HopClass {
    /// Whether a hop of this class deserves attention.
    var isOdd: Bool {
        switch self {
        case .depthGuard, .bounce, .redundant: true
        case .inline, .dispatched: false
        }
    }
}
