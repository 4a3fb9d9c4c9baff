import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// From which executor to which, how often and how long it took; the hops of one cell; and what main's frames came to.
enum HopsScreen {
    struct Areas {
        /// The way of the selected chain.
        var way: Rect
        var heading: Rect
        var matrix: Rect
        var hopsTitle: Rect
        var hops: Rect
        var stallsTitle: Rect
        var stalls: Rect
    }

    static func areas(_ model: Model) -> Areas {
        let body = model.areas.body
        let sources = model.hops.matrix.sources(in: model.store).count
        let (way, belowWay) = body.split(top: 1)
        let (heading, belowHeading) = belowWay.split(top: 1)
        let (matrix, belowMatrix) = belowHeading.split(top: max(1, min(sources, body.rows / 4)))
        let stallRows = MainQueue(model.store).isUsed ? max(3, min(model.hops.stalls.count + 2, belowMatrix.rows / 2)) : 0
        let (stallsPart, hopsPart) = belowMatrix.split(bottom: stallRows)
        let (hopsTitle, hops) = hopsPart.split(top: 1)
        let (stallsTitle, stalls) = stallsPart.split(top: 2)
        return Areas(
            way: way, heading: heading, matrix: matrix, hopsTitle: hopsTitle, hops: hops, stallsTitle: stallsTitle, stalls: stalls)
    }

    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        guard !model.hops.matrix.cells.isEmpty || !model.hops.stalls.isEmpty else {
            let text: String
            if model.hops.isBusy {
                text = "Hops are being counted."
            } else if model.hasEnded {
                text = "No task changed its executor."
            } else {
                text = "No hop yet: one appears here when a task's job goes to another executor than the one it was asked from."
            }
            EmptyNote.draw(text, in: rect, on: &canvas)
            return
        }
        let areas = areas(model)
        canvas.clipped(to: areas.way) { drawWay(model, in: areas.way, on: &$0) }
        HopMatrixPanel(model: model).draw(heading: areas.heading, in: areas.matrix, on: &canvas)
        if model.hops.part == .stalls, let row = model.hops.stallRow {
            VictimsPanel(stall: model.hops.stalls[row], model: model).draw(title: areas.hopsTitle, in: areas.hops, on: &canvas)
        } else {
            HopListPanel(model: model).draw(title: areas.hopsTitle, in: areas.hops, on: &canvas)
        }
        StallsPanel(model: model).draw(title: areas.stallsTitle, in: areas.stalls, on: &canvas)
    }

    private static func drawWay(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        guard let task = model.selection, let way = ChainAnalysis(model.store).way(of: task) else {
            canvas.write(
                " The way of a chain from executor to executor stands here once one of its tasks is selected.", at: rect.origin,
                style: Style(.dim))
            return
        }
        let words = TaskWords(model.store)
        let root = model.store.chain(of: task)
        let name = NextText.name(of: root, in: model)
        var tail = [Span("   \(CountText.text(way.hopCount, "hop"))", .text)]
        if way.wait > 0 {
            func time(_ nanoseconds: UInt64) -> String { DurationText.text(nanoseconds, isASCII: model.glyphs.isASCII) }
            tail.append(Span(", waited \(time(way.wait))", .text))
            if let total = way.total { tail.append(Span(" of \(time(total))", .dim)) }
        }
        let end = rect.right - tail.reduce(1) { $0 + $1.width }
        var spans = [Span(" \(name.fitting(rect.columns / 4, model.glyphs))", .title, .bold), Span("   ")]
        let arrow = " \(Character(model.glyphs[.arrow])) "
        for (index, executor) in way.executors.enumerated() {
            if index > 0 { spans.append(Span(arrow, .hop)) }
            let isMain = model.store.description(of: executor).kind == .main
            spans.append(Span(words.name(executor), isMain ? .mainHop : .text))
            if spans.reduce(0, { $0 + $1.width }) > rect.columns { break }
        }
        if way.isPartial { spans.append(Span(arrow + String(Character(model.glyphs[.ellipsis])), .dim)) }
        let column = canvas.write(spans, at: rect.origin, end: end)
        canvas.write(tail, at: Point(column: column, row: rect.top), end: rect.right)
    }
}
