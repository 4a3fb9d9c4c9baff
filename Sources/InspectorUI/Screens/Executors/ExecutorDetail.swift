import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Draws what is known of one executor, beside the list or below it: the depth of its queue, its figures, its worst wait and longest job
/// with the source, and its jobs.
struct ExecutorDetail {
    let executor: ExecutorView
    let cause: WaitCauses.Cause?
    let shared: SharedState
    /// The depth at the top of the picture. Nil if the list shows the picture.
    let scale: Int?

    private static let mostChartRows = 12
    private static let (sourceMargin, mostSourceMargin) = (3, 12)
    private static let mostRunning = 8
    private static let lowRows = 16

    private var store: TraceStore { shared.store }
    private var words: TaskWords { TaskWords(shared.store) }

    /// In a low area, the source stands beside the rest.
    func draw(in rect: Rect, on canvas: inout Canvas) {
        guard rect.rows < Self.lowRows else {
            let others = lines(columns: rect.columns - 2, rows: rect.rows, source: [])
            let free = rect.rows - others.head.count - others.rest.count - (scale == nil ? 0 : Self.mostChartRows)
            let margin = max(Self.sourceMargin, min(Self.mostSourceMargin, (free - 1) / 2))
            return drawLines(in: rect, source: source(margin: margin), on: &canvas)
        }
        let source = source(margin: (rect.rows - 1) / 2)
        guard !source.isEmpty else { return drawLines(in: rect, source: [], on: &canvas) }
        let (left, right) = rect.split(left: rect.columns / 2)
        drawLines(in: left, source: [], on: &canvas)
        for (row, spans) in source.prefix(right.rows).enumerated() {
            canvas.write(spans, at: right.origin.moved(columns: 1, rows: row), end: right.right - 1)
        }
    }

    private func drawLines(in rect: Rect, source: [[Span]], on canvas: inout Canvas) {
        var lines = lines(columns: rect.columns - 2, rows: rect.rows, source: source)
        // Blank lines only where all else has room.
        if lines.head.count + lines.rest.count > rect.rows { lines.rest.removeAll { $0.isEmpty } }
        let picture = executor.hasDepths ? scale.map { DepthChart(executor: executor, shared: shared, scale: $0) } : nil
        let (head, rest) = rect.split(top: min(2, rect.rows))
        for (row, spans) in lines.head.enumerated() {
            canvas.write(spans, at: head.origin.moved(columns: 1, rows: row), end: rect.right - 1)
        }
        let most = picture?.isSentence == true ? 1 : Self.mostChartRows
        let chartRows = picture == nil ? 0 : max(0, min(most, rest.rows - lines.rest.count - 1))
        let (chart, below) = rest.split(top: chartRows)
        if let picture, chartRows > 1 || picture.isSentence { picture.draw(in: chart, on: &canvas) }
        for (row, spans) in lines.rest.prefix(below.rows).enumerated() {
            canvas.write(spans, at: below.origin.moved(columns: 1, rows: row), end: rect.right - 1)
        }
    }

    private func lines(columns: Int, rows: Int, source: [[Span]]) -> (head: [[Span]], rest: [[Span]]) {
        let isMain = executor.kind == .main
        let kind = executor.kind.name != words.name(executor.id) ? [Span("  " + executor.kind.name, .dim)] : []
        let state = ExecutorStateText.spans(executor, gap: "   ", showsEmptyQueue: executor.hasQueue, shared)
        var figures =
            executor.isSampled
            ? "how busy it is and how long jobs wait is not seen from outside"
            : "\(CountText.text(executor.jobs, "job")), busy \(BusyText(executor, until: store.now).text)"
        if executor.waits.count > 0 {
            figures += ", waits p50 \(shared.duration(executor.waits.p50)), p99 \(shared.duration(executor.waits.p99))"
        }
        let head = [[Span(words.name(executor.id), isMain ? .mainHop : .title, .bold)] + kind + state, [Span(figures, .dim)]]
        let rest = [[]] + worstWait(columns) + longestJob(columns, source) + running + queue(rows: rows)
        return (head, rest)
    }

    private func paragraph(_ title: String, _ text: String, _ columns: Int) -> [[Span]] {
        [[Span(title, .title, .bold)]] + WrappedText.lines(shared.sentence(text), columns: columns - 2).map { [Span("  " + $0, .text)] }
    }

    private func worstWait(_ columns: Int) -> [[Span]] {
        guard let wait = executor.worstWait else { return [] }
        var text = "`\(shared.name(of: wait.task))` waited \(shared.duration(wait.nanoseconds))"
        if let job = cause.flatMap({ $0.wait == wait ? $0.job : nil }) {
            text += " while `\(shared.name(of: job.task, closure: job.label))` ran for \(shared.duration(job.duration))"
        }
        return paragraph("Worst wait", text, columns) + [[]]
    }

    private func longestJob(_ columns: Int, _ source: [[Span]]) -> [[Span]] {
        guard let job = executor.longestJob, job.nanoseconds > 0 else { return [] }
        let text = "`\(shared.name(of: job.task, closure: job.label))` ran for \(shared.duration(job.nanoseconds))"
        let place = site(of: job).map { $0.isEmpty ? "" : ", made at \($0)" } ?? ""
        return paragraph("Longest job", text + place, columns) + source + [[]]
    }

    private func site(of job: LongestJob) -> String? {
        job.task == .none ? words.site(of: .none, closure: job.label) : store.task(job.task)?.label.site
    }

    /// The source where the longest job was made.
    private func source(margin: Int) -> [[Span]] {
        guard let job = executor.longestJob, job.nanoseconds > 0 else { return [] }
        return shared.excerpt(at: site(of: job), margin: margin)?.rows(shared.glyphs) ?? []
    }

    private var running: [[Span]] {
        let jobs = executor.openJobs
        guard !jobs.isEmpty else { return [] }
        let lines = jobs.prefix(Self.mostRunning).map { job in
            [
                Span("  " + shared.name(of: job.task, closure: job.label), .text),
                Span("  for \(shared.elapsed(since: job.since, of: job.task))", .running),
                Span(store.threadWait(onLane: job.lane) == nil ? "" : "  its thread blocks", .warning),
            ]
        }
        let more = jobs.count - lines.count
        return [[Span("Runs", .title, .bold)]] + lines + (more > 0 ? [[Span("  and \(CountText.text(more)) more", .dim)]] : []) + [[]]
    }

    private func queue(rows: Int) -> [[Span]] {
        guard executor.depth > 0 else { return [] }
        let lines = executor.queue.prefix(rows).map { job in
            [
                Span("  " + shared.name(of: job.task), .text), Span("  waits \(shared.elapsed(since: job.since, of: job.task))", .queued),
                Span(job.from == .none ? "" : "  from \(words.name(job.from))", .dim),
            ]
        }
        return [[Span("Queue", .title, .bold), Span("  \(CountText.text(executor.depth, "job"))", .dim)]] + lines
    }
}
