import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// Draws an executor on the overview: its busy share, its queue's depth over time with an axis, its worst wait and its longest job.
struct OverviewPanel {
    let executor: ExecutorView
    let cause: WaitCauses.Cause?
    let shared: SharedState
    /// The depth at the top of the picture.
    var scale = 1
    /// Whether a panel above shows the source of the longest job.
    var isSourceAbove = false

    private var store: TraceStore { shared.store }
    private var words: TaskWords { TaskWords(shared.store) }

    func draw(in rect: Rect, on canvas: inout Canvas) {
        canvas.clipped(to: rect) { canvas in
            drawHeading(in: rect.row(0), on: &canvas)
            guard rect.rows >= OverviewAreas.pictureRows else { return drawFacts(in: rect.rows(1..<rect.rows), on: &canvas) }
            // If there is room, a blank row separates two panels.
            let rows = rect.rows > OverviewAreas.pictureRows ? rect.rows - 1 : rect.rows
            let below = rect.rows(1..<rows)
            let (chart, facts) = below.split(left: max(23, min(rect.columns * 2 / 5, rect.columns - Self.factColumns)))
            DepthChart(executor: executor, shared: shared, scale: scale).draw(in: chart, on: &canvas)
            let lines = self.facts.map { $0.spans(columns: facts.columns - 2, shared.glyphs) }
            for (row, spans) in (lines + source(rows: facts.rows - lines.count)).prefix(facts.rows).enumerated() {
                canvas.write(spans, at: facts.row(row).origin.moved(columns: 1), end: facts.right - 1)
            }
        }
    }

    /// Draws the most important facts without a picture, the last two of them in one line.
    private func drawFacts(in rect: Rect, on canvas: inout Canvas) {
        let facts = facts.prefix(rect.rows + 1)
        let columns = rect.columns - Self.factIndent - 1
        var lines = facts.prefix(rect.rows).map { $0.spans(columns: columns, shared.glyphs) }
        if facts.count > rect.rows, let fact = facts.last, !lines.isEmpty {
            // The first of the two has the room that the other one leaves, at least a half.
            let other = fact.spans(columns: columns / 2, shared.glyphs).reduce(Self.factIndent) { $0 + $1.width }
            let first = facts[facts.count - 2].spans(columns: max(columns / 2, columns - other), shared.glyphs)
            let left = columns - Self.factIndent - first.reduce(0) { $0 + $1.width }
            let gap = Span(String(repeating: " ", count: Self.factIndent))
            lines[lines.count - 1] = first + [gap] + fact.spans(columns: left, shared.glyphs)
        }
        for (row, spans) in lines.enumerated() {
            canvas.write(spans, at: rect.row(row).origin.moved(columns: Self.factIndent), end: rect.right - 1)
        }
    }

    private static let factIndent = 3

    /// Draws the heading alone, with the most important of the facts that have room in it.
    func drawLine(in rect: Rect, on canvas: inout Canvas) {
        canvas.clipped(to: rect) { drawHeading(in: rect, facts: true, on: &$0) }
    }

    // MARK: The heading

    private func drawHeading(in rect: Rect, facts hasFacts: Bool = false, on canvas: inout Canvas) {
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
        if hasFacts { spans += factsInLine(columns: room - spans.reduce(0) { $0 + $1.width }) }
        canvas.write(spans, at: rect.origin, end: rect.left + room)
        guard !executor.isSampled else { return }
        canvas.write("busy", at: bar.origin.moved(columns: -6), style: Style(.dim))
        for column in 0..<bar.columns { canvas.put(.none, at: bar.origin.moved(columns: column), style: Style(.barDim)) }
        canvas.bar(busy.share, of: 1000, at: bar.origin, columns: bar.columns)
        canvas.write(busy.text, at: Point(column: bar.right + 1, row: rect.top), style: Style(.text), limit: 16)
    }

    /// The number of jobs, and the longest one.
    private func factsInLine(columns: Int) -> [Span] {
        var spans: [Span] = []
        for fact in [Fact(start: counts.start), longest].compactMap({ $0 }) {
            let fact = Fact(start: [Span("  ")] + fact.start, name: fact.name, more: fact.more)
            let left = columns - spans.reduce(0) { $0 + $1.width }
            guard fact.start.reduce(Self.leastNameColumns, { $0 + $1.width }) <= left else { break }
            spans += fact.spans(columns: left, shared.glyphs)
        }
        return spans
    }

    // MARK: Facts

    /// The room below which a job's name in a line says too little.
    private static let leastNameColumns = 16
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
        let unfinished = unfinishedWait
        if let unfinished { facts.append(unfinished) }
        if unfinished == nil, let wait = executor.worstWait {
            var fact = Fact(
                start: [Span("worst wait ", .dim), Span(shared.duration(wait.nanoseconds), .queued)], name: shared.name(of: wait.task))
            // A job that ran for a small part of the wait is not its cause.
            if let job = cause.flatMap({ $0.wait == wait ? $0.job : nil }), job.duration >= wait.nanoseconds / 2 {
                let name = shared.name(of: job.task, closure: job.label)
                fact.more = [[Span(" during ", .dim), Span(name)], [Span(", which ran \(shared.duration(job.duration))", .dim)]]
            }
            facts.append(fact)
        }
        if let longest { facts.append(longest) }
        return facts + [counts] + jobs(afterFirst: unfinished != nil)
    }

    /// The site of the longest job.
    var longestSite: String? {
        guard let job = executor.longestJob, job.nanoseconds > 0 else { return nil }
        return job.task == .none ? words.site(of: .none, closure: job.label) : store.task(job.task)?.label.site
    }

    /// The source of the longest job, below a blank line, in a panel that has room for several lines of it.
    private func source(rows: Int) -> [[Span]] {
        guard rows >= Self.leastSourceRows, !isSourceAbove else { return [] }
        let margin = min(Self.mostSourceMargin, (rows - 2) / 2)
        return shared.excerpt(at: longestSite, margin: margin).map { [[]] + $0.rows(shared.glyphs) } ?? []
    }

    private static let leastSourceRows = 4
    private static let mostSourceMargin = 3

    /// The wait of the first job in the queue. Nil if a finished wait was longer.
    private var unfinishedWait: Fact? {
        let waits = executor.waitOfFirst(until: shared.timeOfFindings)
        guard waits > executor.worstWait?.nanoseconds ?? 0, let first = executor.queue.first(where: { _ in true }) else { return nil }
        return Fact(
            start: [badge(.queued), Span(" waits ", .dim), Span(shared.duration(waits), .queued)], name: shared.name(of: first.task))
    }

    private var longest: Fact? {
        guard let job = executor.longestJob, job.nanoseconds > 0 else { return nil }
        let site = TaskWords(store).site(of: job.task, closure: job.label)
        return Fact(
            start: [Span("longest ", .dim), Span(shared.duration(job.nanoseconds), .running)],
            name: shared.name(of: job.task, closure: job.label), more: site.map { [[Span("  \($0)", .dim)]] } ?? [])
    }

    private var counts: Fact {
        guard !executor.isSampled else { return Fact(start: [Span("how busy it is cannot be seen from outside", .dim)]) }
        var counts = Fact(start: [Span(CountText.text(executor.jobs, "job"), .dim)])
        if executor.waits.count > 0 {
            let (p50, p99) = (shared.duration(executor.waits.p50), shared.duration(executor.waits.p99))
            counts.more = [[Span(", waits p50 \(p50), p99 \(p99)", .dim)]]
        }
        return counts
    }

    /// The jobs that run and the first ones in the queue, for a high panel.
    ///
    /// - Parameter isFirstReported: whether another fact tells of the first job in the queue.
    private func jobs(afterFirst isFirstReported: Bool) -> [Fact] {
        let running = executor.openJobs.prefix(Self.mostJobs).map { job in
            Fact(
                start: [badge(.running)], name: shared.name(of: job.task, closure: job.label),
                more: [[Span("  for \(shared.elapsedBesideFindings(since: job.since, of: job.task))", .dim)]])
        }
        let queued = executor.queue.prefix(Self.mostJobs).dropFirst(isFirstReported ? 1 : 0).map { job in
            Fact(
                start: [badge(.queued)], name: shared.name(of: job.task),
                more: [[Span("  waits \(shared.elapsedBesideFindings(since: job.since, of: job.task))", .queued)]])
        }
        return running + queued
    }

    private func badge(_ state: DisplayedState) -> Span { Span(String(Character(shared.glyphs[state.canvasGlyph])), state.role) }

    private static let mostJobs = 4
}
