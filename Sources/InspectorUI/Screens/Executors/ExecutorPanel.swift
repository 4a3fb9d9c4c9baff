import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// Draws the visible part of an executor's block.
struct ExecutorPanel {
    let block: ExecutorBlocks.Block
    let shared: SharedState
    /// The depth at the top of each picture.
    var scale = 1

    private static let chartColumns = 110

    private var executor: ExecutorView { block.executor }
    private var store: TraceStore { shared.store }
    private var words: TaskWords { TaskWords(shared.store) }

    func draw(rows: Range<Int>, in rect: Rect, on canvas: inout Canvas) {
        // A queue is walked from its head, so one walk serves all visible lines.
        var queue = executor.queue.makeIterator()
        var taken = -1
        for line in (rows.lowerBound - block.first..<rows.upperBound - block.first).clamped(to: 0..<block.count) {
            let area = rect.row(block.first + line - rows.lowerBound)
            switch block.line(line) {
            case .heading: drawHeading(in: area, on: &canvas)
            case .figures: drawFigures(in: area, on: &canvas)
            case .longest(let job, let hasFigures): draw(job, hasFigures: hasFigures, in: area, on: &canvas)
            case .running(let job): draw(job, in: area, on: &canvas)
            case .queued(let position):
                var job: QueuedJob?
                while taken < position {
                    job = queue.next()
                    taken += 1
                }
                if let job { draw(job, position: position, in: area, on: &canvas) }
            case .more(let count):
                let text = "\(CountText.text(count)) more in the queue"
                canvas.write("\(Character(shared.glyphs[.folded])) \(text)", at: area.origin.moved(columns: indent), style: Style(.dim))
            case .chart(row: 0):
                let rows = Rect(column: area.left, row: area.top, columns: min(area.columns, Self.chartColumns), rows: block.chartRows)
                DepthChart(executor: executor, shared: shared, scale: scale).draw(in: rows, on: &canvas)
            case .chart, .blank: break
            }
        }
    }

    private func drawHeading(in rect: Rect, on canvas: inout Canvas) {
        let isMain = executor.kind == .main
        let name = words.name(executor.id).fitting(max(12, rect.columns / 3), shared.glyphs)
        var spans = [Span(" " + name, isMain ? .mainHop : .title, .bold)]
        // A kind that only repeats the name adds nothing.
        if executor.kind.name != name { spans.append(Span("  " + executor.kind.name, .dim)) }
        spans += ExecutorStateText.spans(executor, gap: "   ", showsEmptyQueue: executor.hasQueue, shared)
        let isHeld = shared.control.heldScopes.contains(.executor(executor.id)) || shared.control.heldScopes.contains(.all)
        if executor.heldCount > 0 {
            spans.append(Span("   gate holds \(CountText.text(executor.heldCount))", .warning))
        } else if isHeld, executor.hasQueue, !shared.program.hasEnded {
            spans.append(Span("   gate held", .warning))
        }
        let column = canvas.write(spans, at: rect.origin, end: rect.right - 1) + 3
        drawSparkline(from: column, in: rect, on: &canvas)
    }

    /// The depth of the queue over the last seconds, at the right edge.
    private func drawSparkline(from column: Int, in rect: Rect, on canvas: inout Canvas) {
        guard executor.hasDepths, block.chartRows == 0 else { return }
        let width = min(DepthHistory.bucketCount, rect.right - 2 - "max 9,999".count - column, 40)
        // The picture and the number are of the same time, whatever the width.
        let known = DepthChart.knownCount(store)
        guard width >= 8, let greatest = executor.depthHistory.depths(until: store.now).suffix(known).max() else { return }
        let label = "max \(CountText.text(Int(greatest)))"
        let end = rect.right - 1 - label.count - 1
        let all = executor.depthHistory.means(until: store.now).suffix(known).map { Int(($0 * 1000).rounded()) }
        let means = known > width ? all.stretched(to: width) : all
        let point = Point(column: end - width, row: rect.top)
        canvas.sparkline(means, peak: max(scale, Int(greatest)) * 1000, at: point, columns: width, style: Style(.bar))
        canvas.write(label, at: Point(column: end + 1, row: rect.top), style: Style(.dim))
    }

    private var figures: [String] {
        guard !executor.isSampled else { return ["how busy it is and how long jobs wait is not seen from outside"] }
        return [CountText.text(executor.jobs, "job"), "busy \(BusyText(executor, until: store.now).text)"]
    }

    private var separator: String { " \(Character(shared.glyphs[.separator])) " }

    private func drawFigures(in rect: Rect, on canvas: inout Canvas) {
        var facts = figures
        if executor.waits.count > 0 {
            facts.append("wait p50 \(shared.duration(executor.waits.p50)), p99 \(shared.duration(executor.waits.p99))")
        }
        // Figures that do not fit are left out whole, because a cut figure would read as a different one.
        while facts.count > 2, CharacterWidth.of(facts.joined(separator: separator)) > rect.columns - 4 { facts.removeLast() }
        canvas.write("   " + facts.joined(separator: separator), at: rect.origin, style: Style(.dim), limit: rect.columns - 1)
    }

    /// The longest job, by name and place.
    private func draw(_ job: LongestJob, hasFigures: Bool, in rect: Rect, on canvas: inout Canvas) {
        let facts = (hasFigures ? figures : []) + ["longest \(shared.duration(job.nanoseconds))"]
        var spans = [Span("   \(facts.joined(separator: separator))  ", .dim)]
        let site = words.site(of: job.task, closure: job.label).map { "  \($0)" } ?? ""
        let room = rect.columns - 1 - spans[0].width - CharacterWidth.of(site)
        spans.append(Span(words.name(of: job.task, closure: job.label).fittingName(max(12, room), shared.glyphs), .text))
        if !site.isEmpty { spans.append(Span(site, .dim)) }
        canvas.write(spans, at: rect.origin, end: rect.right - 1)
    }

    private func draw(_ job: RunningJob, in rect: Rect, on canvas: inout Canvas) {
        canvas.put(DisplayedState.running.canvasGlyph, at: rect.origin.moved(columns: indent - 2), style: Style(.running))
        var spans = [Span("for \(shared.elapsed(since: job.since, of: job.task))", .running)]
        if store.threadWait(onLane: job.lane) != nil {
            let room = rect.columns - 1 - indent - nameColumns(in: rect) - spans[0].width
            let words = "  its thread blocks"
            spans.append(Span(words.count <= room ? words : "  blocked", .warning))
        }
        if let site = words.site(of: job.task, closure: job.label) { spans.append(Span("  \(site)", .dim)) }
        drawJob(job.task, closure: job.label, spans, in: rect, on: &canvas)
    }

    private func draw(_ job: QueuedJob, position: Int, in rect: Rect, on canvas: inout Canvas) {
        canvas.write(number: position + 1, grouped: true, at: rect.origin, style: Style(.dim), limit: indent - 1, align: .right)
        let isHeld = store.task(job.task)?.isHeld ?? false
        let time = shared.elapsed(since: job.since, of: job.task)
        var spans = [Span(isHeld ? "held \(time)" : "waits \(time)", isHeld ? .warning : .queued)]
        if job.from != .none { spans.append(Span("   from \(words.name(job.from))", .dim)) }
        if let site = words.site(of: job.task) { spans.append(Span("   \(site)", .dim)) }
        drawJob(job.task, spans, in: rect, on: &canvas)
    }

    /// The column of the jobs' names, to the right of the widest position number.
    private var indent: Int {
        max(5, CountText.text(block.queueShown).count + 2)
    }

    private func nameColumns(in rect: Rect) -> Int { max(20, min(44, rect.columns * 2 / 5)) }

    private func drawJob(_ task: TaskID, closure: EntryID = .none, _ spans: [Span], in rect: Rect, on canvas: inout Canvas) {
        let width = nameColumns(in: rect)
        let name = shared.name(of: task, closure: closure)
        canvas.write(name, at: rect.origin.moved(columns: indent), style: Style(.text), limit: width - 1)
        canvas.write(spans, at: rect.origin.moved(columns: indent + width), end: rect.right - 1)
    }
}
