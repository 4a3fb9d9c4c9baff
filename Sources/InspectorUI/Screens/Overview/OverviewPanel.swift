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
            let (chart, facts) = below.split(left: max(24, rect.columns * 2 / 5))
            drawDepth(in: chart, on: &canvas)
            for (row, line) in self.facts.prefix(facts.rows).enumerated() {
                canvas.write(line, at: facts.row(row).origin.moved(columns: 2), end: facts.right - 1)
            }
        }
    }

    // MARK: The heading

    private func drawHeading(in rect: Rect, on canvas: inout Canvas) {
        let name = words.name(executor.id).fitting(max(12, rect.columns / 3), shared.glyphs)
        var spans = [Span(" " + name, executor.kind == .main ? .mainHop : .title, .bold)]
        let running = executor.running.count
        var states = [running == 0 ? Span("  idle", .dim) : Span("  \(CountText.text(running)) running", .running)]
        if executor.depth > 0 { states.append(Span("  \(CountText.text(executor.depth)) queued", .queued)) }
        let kind = Span("  " + executor.kind.name, .dim)
        // In a narrow panel the kind gives way to the numbers.
        let columns = (spans + [kind] + states).reduce(0) { $0 + $1.width }
        if executor.kind.name != name, columns <= rect.columns - 41 { spans.append(kind) }
        canvas.write(spans + states, at: rect.origin, end: rect.right - 41)
        let busy = BusyText(executor, until: store.now)
        let bar = Rect(column: rect.right - 34, row: rect.top, columns: 16, rows: 1)
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
        let seconds = UInt64(known) * DepthHistory.bucketNanoseconds
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

    /// The facts, the most important first.
    private var facts: [[Span]] {
        var lines: [[Span]] = []
        if let wait = executor.worstWait {
            var line = [
                Span("worst wait ", .dim), Span(shared.duration(wait.nanoseconds), .queued), Span(" \(shared.name(of: wait.task))"),
            ]
            if let job = cause.flatMap({ $0.wait == wait ? $0.job : nil }) {
                let name = shared.name(of: job.task, closure: job.label)
                line += [Span(", while ", .dim), Span(name), Span(" ran \(shared.duration(job.duration))", .dim)]
            }
            lines.append(line)
        }
        if executor.longestJob > 0 {
            let (task, label) = (executor.longestJobTask, executor.longestJobLabel)
            let place = TaskWords(store).place(of: task, closure: label)
            lines.append([
                Span("longest ", .dim), Span(shared.duration(executor.longestJob), .running),
                Span(" \(shared.name(of: task, closure: label))"), Span(place.map { "  \($0)" } ?? "", .dim),
            ])
        }
        var counts = CountText.text(executor.jobs, "job")
        if executor.waits.count > 0 {
            counts += ", waits p50 \(shared.duration(executor.waits.p50)), p99 \(shared.duration(executor.waits.p99))"
        }
        return lines + [[Span(counts, .dim)]]
    }
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
