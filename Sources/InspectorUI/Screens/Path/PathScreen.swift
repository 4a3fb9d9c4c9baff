import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Explains where the time of an ended task went: the segments of its critical path, the largest first, against its peers. It is an
/// overlay, which `w` opens.
struct PathScreen: Layer {
    static let name = ScreenName("Where its time went")
    static let modes = [
        KeyMode(
            "Where its time went",
            KeyRow.list + [.enter("go there", "to the segment's task (or click it again)"), .escape("back", "back to where you were")])
    ]
    static let facets = Facets<Self>(
        search: .init(
            rows: { path, shared in
                SearchedRows(count: path.segments.count, cursor: path.pane.selected) {
                    [segments = path.segments, words = TimeWords(shared.store)] in words.phrase(segments[$0])
                }
            }, select: { path, row, _ in path.pane.select(row) }),
        waiting: { path, _ in .task(path.pane.selected.map { path.segments[$0].task } ?? path.task) })

    let task: TaskID
    private var reading: StepReading
    private(set) var explanation: TimeExplanation?
    private(set) var pane = ListPane()
    private var title = Rect.empty
    private var list = Rect.empty
    /// On a wide terminal, the sentence and the source of the selected segment stand beside the list.
    private var rule = Rect.empty
    private var panel = Rect.empty

    init(of task: TaskView, in history: TraceHistory) {
        self.task = task.id
        reading = StepReading(of: task, in: history)
    }

    private var segments: [TimeExplanation.Segment] { explanation?.segments ?? [] }

    /// The lines above the list: the title, two of the sentence if it has no panel, and the headings.
    private var titleLines: Int { panel.isEmpty ? 5 : 3 }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let isWide = body.columns >= FrameAreas.wideColumns
        let (left, rest) = body.split(left: isWide ? FrameAreas.listColumns(of: body) : body.columns)
        (rule, panel) = rest.split(left: isWide ? 1 : 0)
        (title, list) = left.split(top: min(titleLines, left.rows))
        pane.layOut(in: list, count: segments.count)
    }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        guard explanation == nil, reading.readOn(), let view = shared.store.task(task) else { return }
        explanation = TimeAnalysis(shared.store, reading.steps).explanation(of: view)
        pane.setCount(segments.count)
        pane.select(segments.isEmpty ? nil : 0)
    }

    func isSettled(_ shared: SharedState) -> Bool { explanation != nil || shared.store.row(of: task) == nil }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer { .changed(if: pane.move(movement)) }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) { pane.scroll(by: rows) }

    mutating func open(_ shared: inout SharedState) -> Answer {
        guard let row = pane.selected, segments.indices.contains(row) else { return .ignored }
        let task = segments[row].task
        guard shared.store.row(of: task) != nil else {
            shared.notice = "\(task.firstWords) is not kept any more."
            return .ignored
        }
        shared.selection = task
        return .detail(of: task)
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        guard let row = pane.row(at: point) else { return .ignored }
        if row == pane.selected { return open(&shared) }
        pane.select(row)
        return .changed
    }

    // MARK: Drawing

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        let name = TaskWords(shared.store).name(of: task)
        canvas.write(
            [Span(" Where the time of ", .title), Span(shared.sentence("`\(name)`"), .title, .bold), Span(" went  \(task.words)", .dim)],
            at: title.origin, end: title.right - 1)
        let words = TimeWords(shared.store, isASCII: shared.isASCII)
        let text = explanation.map { shared.sentence(words.sentence($0)) + "." } ?? "Reading the events: \(reading.percent) %"
        if panel.isEmpty {
            for (line, words) in WrappedText.lines(text, columns: title.columns - 2, rows: 2, shared.glyphs).enumerated() {
                canvas.write(words, at: title.origin.moved(columns: 1, rows: 1 + line), style: .text, limit: title.columns - 2)
            }
        } else {
            drawPanel(text, shared, on: &canvas)
        }
        guard !segments.isEmpty else { return }
        let columns = PathColumns(of: list.columns, hasPeers: explanation?.peerCount ?? 0 > 0)
        columns.drawHeadings(at: title.row(titleLines - 1).origin, on: &canvas)
        let total = explanation?.total ?? 0
        pane.draw(on: &canvas) { row, place, canvas in
            columns.draw(segments[row], of: total, words, shared, in: place, on: &canvas)
        }
    }

    /// The whole sentence, and the source of the selected segment.
    private func drawPanel(_ text: String, _ shared: SharedState, on canvas: inout Canvas) {
        canvas.verticalLine(at: rule.origin, rows: rule.rows)
        let lines = WrappedText.lines(text, columns: panel.columns - 2)
        for (line, words) in lines.prefix(panel.rows).enumerated() {
            canvas.write(words, at: panel.origin.moved(columns: 1, rows: line), style: .text, limit: panel.columns - 2)
        }
        guard let row = pane.selected, segments.indices.contains(row) else { return }
        let segment = segments[row]
        let source = shared.store.symbol(ofCall: segment.calls)?.site ?? shared.store.task(segment.task)?.label.site
        let room = panel.split(top: min(lines.count + 1, panel.rows)).rest
        canvas.clipped(to: room) { canvas in
            let area = Rect(column: room.left + 1, row: room.top, columns: room.columns - 1, rows: room.rows)
            WaitPanel(source: source, calls: segment.calls, others: [], shared: shared).draw(in: area, on: &canvas)
        }
    }
}
