import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// The graph in rails: a task a row, its lanes on the left, what became of it on the right.
enum GraphScreen {
    /// Columns that the view can be moved by.
    static let panLimit = 160

    /// The rows of the graph; the last of the screen says which they are.
    static func listArea(_ body: Rect) -> Rect {
        body.split(bottom: 1).rest
    }

    static func draw(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        let (status, list) = rect.split(bottom: 1)
        guard !model.graph.lines.isEmpty else {
            let text =
                model.hasEnded
                ? "The program ended without making a task."
                : "No task yet: the graph grows here as soon as the program makes one."
            EmptyNote.draw(text, in: list, on: &canvas)
            return
        }
        let columns = GraphColumns(width: list.columns, lanes: model.graph.lanes, pan: model.graph.pan)
        let chain = model.selection.map { model.store.chain(of: $0) }
        canvas.clipped(to: list) { canvas in
            for (index, line) in model.graph.lines.prefix(list.rows).enumerated() {
                let area = list.row(index)
                switch line {
                case .task(let row):
                    RailsLine(row: row, model: model, selectedChain: chain).draw(columns, in: area, on: &canvas)
                    if row.task == model.selection { canvas.restyle(area, .selected) }
                case .folded(let fold, let row):
                    FoldLine(fold: fold, row: row, model: model, selectedChain: chain).draw(columns, in: area, on: &canvas)
                }
            }
        }
        drawStatus(model, in: status, on: &canvas)
    }

    private static func drawStatus(_ model: Model, in rect: Rect, on canvas: inout Canvas) {
        let graph = model.graph
        let count = graph.rails.count
        let end = graph.lines.indices.last.flatMap { graph.span(atLine: $0) }?.rows.upperBound ?? graph.top
        let place = "rows \(CountText.text(graph.top + 1))-\(CountText.text(end)) of \(CountText.text(count))"
        var spans = [Span(" \(place)", .dim)]
        if graph.isFollowing { spans.append(Span("  following the newest", .good)) }
        if graph.waitingCount > 0 { spans.append(Span("  \(CountText.text(graph.waitingCount)) more are being placed", .warning)) }
        if graph.pan > 0 { spans.append(Span("  moved by \(graph.pan) columns", .dim)) }
        canvas.write(spans, at: rect.origin, end: rect.right)
    }
}

/// Where the parts of a row of rails stand. Text parts count from the list's left edge, and move with the pan.
struct GraphColumns {
    let rails: Range<Int>
    let name: Range<Int>
    /// The executor a job came from; empty where there is no room for it.
    let from: Range<Int>
    let executor: Range<Int>
    let duration: Range<Int>
    let state: Range<Int>
    let words: Range<Int>

    init(width: Int, lanes: Int, pan: Int) {
        let isWide = width >= 100
        // So narrow that a state would be cut, rails and executors have less.
        let isNarrow = width < 80
        let rails = min(max(3, lanes) * 2, isNarrow ? width / 4 : width / 3)
        let widths = (from: isWide ? 10 : 0, executor: isWide ? 12 : isNarrow ? 9 : 13, duration: 8, state: 11)
        let fixed = 1 + rails + 1 + widths.from + widths.executor + 1 + widths.duration + 2 + widths.state
        // A third for the name and the rest for words; where that is too little for words, they are found by panning.
        let free = width - fixed - 4
        let hasWords = free >= 18 + 12
        let name = hasWords ? max(18, min(34, free / 3)) : max(10, free + 2)

        self.rails = 1..<1 + rails
        var start = 1 + rails + 1 - pan
        func take(_ columns: Int, gap: Int) -> Range<Int> {
            defer { start += columns + gap }
            return start..<start + columns
        }
        self.name = take(name, gap: widths.from > 0 ? 0 : 1)
        from = take(widths.from, gap: widths.from > 0 ? 1 : 0)
        executor = take(widths.executor - (widths.from > 0 ? 1 : 0), gap: 1)
        duration = take(widths.duration, gap: 2)
        state = take(widths.state, gap: 2)
        self.words = start..<max(start + (pan > 0 ? 80 : 0), width - 1)
    }
}
