import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The hops of one cell: when, whose, how long it waited, and what sort of hop it was.
struct HopListPanel {
    let model: Model

    private var store: TraceStore { model.store }
    private var isASCII: Bool { model.glyphs.isASCII }

    func draw(title: Rect, in rect: Rect, on canvas: inout Canvas) {
        guard let ends = model.hops.ends, let cell = model.hops.matrix.cells[ends] else {
            canvas.write(" No hops between these two.", at: title.origin, style: Style(.dim))
            return
        }
        drawTitle(of: cell, ends, in: title, on: &canvas)
        canvas.clipped(to: rect) { canvas in
            let hops = model.hops.hops
            for (line, row) in model.hops.hopWindow.rows(count: hops.count, height: rect.rows).enumerated() {
                let area = rect.row(line)
                draw(hops[row], in: area, on: &canvas)
                if row == model.hops.hopRow { canvas.restyle(area, .selected) }
            }
        }
    }

    private func drawTitle(of cell: HopCell, _ ends: HopEnds, in rect: Rect, on canvas: inout Canvas) {
        canvas.horizontalLine(at: rect.origin, columns: rect.columns)
        let words = TaskWords(store)
        let arrow = Character(model.glyphs[.arrow])
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
            func time(_ nanoseconds: UInt64?) -> String { DurationText.text(nanoseconds, isASCII: isASCII) }
            spans.append(Span(", wait p50 \(time(cell.p50)), p99 \(time(cell.p99))", .dim))
        }
        spans.append(Span(model.hops.isByWait ? ", longest wait first " : ", newest first ", .dim))
        canvas.write(spans, at: rect.origin.moved(columns: 1), end: rect.right - 1)
    }

    private func draw(_ hop: ClassedHop, in rect: Rect, on canvas: inout Canvas) {
        let isWide = rect.columns >= 90
        let name = max(16, min(40, rect.columns - 46))
        canvas.write(ClockText.precise(hop.hop.at), at: rect.origin.moved(columns: 1), style: Style(.dim))
        canvas.write(NextText.name(of: hop.hop.task, in: model), at: rect.origin.moved(columns: 15), limit: name)
        var column = rect.left + 15 + name + 1
        let wait = hop.hop.wait.map { "waited " + DurationText.text($0, isASCII: isASCII) } ?? "waits"
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
    /// Whether it is one that a person should look at.
    var isOdd: Bool {
        switch self {
        case .depthGuard, .bounce, .redundant: true
        case .inline, .dispatched: false
        }
    }
}
