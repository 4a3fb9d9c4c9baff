import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// Draws an executor on the overview: its busy share, its queue's depth over time with an axis, its worst wait and its longest job.
struct OverviewPanel {
    let executor: ExecutorView
    let cause: WaitCauses.Cause?
    let shared: SharedState

    private var store: TraceStore { shared.store }
    private var words: TaskWords { TaskWords(shared.store) }

    func draw(in rect: Rect, on canvas: inout Canvas) {
        canvas.clipped(to: rect) { canvas in
            drawHeading(in: rect.row(0), on: &canvas)
            // If there is room, a blank row separates two panels.
            let rows = rect.rows > OverviewAreas.leastPanelRows ? rect.rows - 1 : rect.rows
            let below = rect.rows(1..<rows)
            let (chart, facts) = below.split(left: max(23, min(rect.columns * 2 / 5, rect.columns - Self.factColumns)))
            drawDepth(in: chart, on: &canvas)
            for (row, fact) in self.facts.prefix(facts.rows).enumerated() {
                let spans = fact.spans(columns: facts.columns - 2, shared.glyphs)
                canvas.write(spans, at: facts.row(row).origin.moved(columns: 1), end: facts.right - 1)
            }
        }
    }

    // MARK: The heading

    private func drawHeading(in rect: Rect, on canvas: inout Canvas) {
        let name = words.name(executor.id).fitting(max(12, rect.columns / 3), shared.glyphs)
        func title(_ name: String) -> Span { Span(" " + name, executor.kind == .main ? .mainHop : .title, .bold) }
        let kind = executor.kind.name != name ? [Span("  " + executor.kind.name, .dim)] : []
        let state = ExecutorStateText.spans(executor, gap: "  ", shared)
        let busy = BusyText(executor, until: store.now)
        let columns = rect.columns < 100 ? 12 : 16
        let bar = Rect(column: rect.right - 18 - columns, row: rect.top, columns: columns, rows: 1)
        let room = bar.left - 7 - rect.left
        var spans = [title(name)] + kind + state
        if spans.reduce(0, { $0 + $1.width }) > room {
            let left = room - state.reduce(1) { $0 + $1.width }
            spans = [title(name.fittingName(max(8, left), shared.glyphs))] + state
        }
        canvas.write(spans, at: rect.origin, end: rect.left + room)
        canvas.write("busy", at: bar.origin.moved(columns: -6), style: Style(.dim))
        for column in 0..<bar.columns { canvas.put(.none, at: bar.origin.moved(columns: column), style: Style(.barDim)) }
        canvas.bar(busy.share, of: 1000, at: bar.origin, columns: bar.columns)
        canvas.write(busy.text, at: Point(column: bar.right + 1, row: rect.top), style: Style(.text), limit: 16)
    }

    // MARK: The queue's depth

    private func drawDepth(in rect: Rect, on canvas: inout Canvas) {
        guard executor.maxDepth > 0 else {
            canvas.write("no job has waited", at: rect.origin.moved(columns: 3), style: Style(.dim), limit: rect.columns - 3)
            return
        }
        let depths = executor.depthHistory.depths(until: store.now).map(Int.init)
        // A short trace also fills the width.
        let known = Int(min(UInt64(depths.count), max(10, store.now / DepthHistory.bucketNanoseconds + 1)))
        let shown = depths.suffix(known)
        let seconds = UInt64(known) * DepthHistory.bucketNanoseconds
        guard shown.contains(where: { $0 > 0 }) else {
            let text = "no job has waited for \(seconds / 1_000_000_000) s"
            canvas.write(text, at: rect.origin.moved(columns: 3), style: Style(.dim), limit: rect.columns - 3)
            return
        }
        let peak = max(1, shown.max() ?? 1)
        let labels = max(CountText.text(peak).count, 1)
        let picture = Rect(
            column: rect.left + 3 + labels + 1, row: rect.top, columns: max(0, rect.columns - labels - 5), rows: max(0, rect.rows - 1))
        let left = rect.left + 2
        canvas.write(CountText.text(peak), at: Point(column: left, row: rect.top), style: Style(.dim), limit: labels, align: .right)
        if picture.rows > 1 {
            canvas.write("0", at: Point(column: left, row: picture.bottom - 1), style: Style(.dim), limit: labels, align: .right)
        }
        for row in picture.top..<picture.bottom {
            canvas.put(.teeLeft, at: Point(column: picture.left - 1, row: row), style: Style(.border))
        }
        canvas.chart(shown.stretched(to: picture.columns), peak: peak, in: picture, style: Style(.queued))
        let past = "-\(seconds / 1_000_000_000).\(seconds / 100_000_000 % 10) s"
        let now = shared.history.isAtLatest && !shared.isOver ? "now" : ClockText.text(store.now)
        let axis = Point(column: picture.left, row: picture.bottom)
        canvas.write(past, at: axis, style: Style(.dim), limit: picture.columns)
        let middle = "jobs in the queue"
        if picture.columns >= past.count + now.count + middle.count + 4 {
            canvas.write(middle, at: axis, style: Style(.dim), limit: picture.columns, align: .center)
        }
        canvas.write(now, at: axis.moved(columns: max(0, picture.columns - now.count)), style: Style(.dim))
    }

    // MARK: Facts

    /// The room that most facts need.
    private static let factColumns = 56

    private struct Fact {
        var start: [Span]
        /// The name of a job, which is cut if there is no room for it.
        var name = ""
        /// Further words, each left out with all that follow if there is no room for it.
        var more: [[Span]] = []

        func spans(columns: Int, _ glyphs: GlyphSet) -> [Span] {
            var spans = start
            let room = columns - start.reduce(1) { $0 + $1.width }
            if !name.isEmpty { spans.append(Span(" " + name.fittingName(room, glyphs))) }
            for part in more {
                guard (spans + part).reduce(0, { $0 + $1.width }) <= columns else { break }
                spans += part
            }
            return spans
        }
    }

    /// The facts, the most important first.
    private var facts: [Fact] {
        var facts: [Fact] = []
        if let wait = executor.worstWait {
            var fact = Fact(
                start: [Span("worst wait ", .dim), Span(shared.duration(wait.nanoseconds), .queued)], name: shared.name(of: wait.task))
            if let job = cause.flatMap({ $0.wait == wait ? $0.job : nil }) {
                let name = shared.name(of: job.task, closure: job.label)
                fact.more = [[Span(" during ", .dim), Span(name)], [Span(", which ran \(shared.duration(job.duration))", .dim)]]
            }
            facts.append(fact)
        }
        if executor.longestJob > 0 {
            let (task, label) = (executor.longestJobTask, executor.longestJobLabel)
            let place = TaskWords(store).place(of: task, closure: label)
            facts.append(
                Fact(
                    start: [Span("longest ", .dim), Span(shared.duration(executor.longestJob), .running)],
                    name: shared.name(of: task, closure: label), more: place.map { [[Span("  \($0)", .dim)]] } ?? []))
        }
        var counts = Fact(start: [Span(CountText.text(executor.jobs, "job"), .dim)])
        if executor.waits.count > 0 {
            let (p50, p99) = (shared.duration(executor.waits.p50), shared.duration(executor.waits.p99))
            counts.more = [[Span(", waits p50 \(p50), p99 \(p99)", .dim)]]
        }
        return facts + [counts] + jobs
    }

    /// The jobs that run and the first ones in the queue, for a high panel.
    private var jobs: [Fact] {
        let now = store.now
        let running = executor.running.prefix(Self.mostJobs).map { job in
            Fact(
                start: [mark(.running)], name: shared.name(of: job.task, closure: job.label),
                more: [[Span("  for \(shared.duration(now > job.since ? now - job.since : 0))", .dim)]])
        }
        let queued = executor.queue.prefix(Self.mostJobs).map { job in
            Fact(
                start: [mark(.queued)], name: shared.name(of: job.task),
                more: [[Span("  waits \(shared.duration(now > job.since ? now - job.since : 0))", .queued)]])
        }
        return running + queued
    }

    private func mark(_ state: StateMark) -> Span { Span(String(Character(shared.glyphs[state.canvasGlyph])), state.role) }

    private static let mostJobs = 4
}

extension Collection<Int> {
    /// The values spread over a number of columns. Each column has the greatest of its values.
    fileprivate func stretched(to columns: Int) -> [Int] {
        let values = Array(self)
        guard !values.isEmpty, columns > 0 else { return [] }
        return (0..<columns).map { column in
            let first = column * values.count / columns
            return values[first..<Swift.max(first + 1, (column + 1) * values.count / columns)].max() ?? 0
        }
    }
}
