import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The areas of a path: the title, the steps, and the error's outcome or the sentence of the current step.
struct PathAreas {
    let whole: Rect
    let title: Rect
    /// The line of source under the title. Empty without room.
    let source: Rect
    let steps: Rect
    let sentence: Rect
    /// Whether a line separates the sentence from the steps.
    let hasRule: Bool

    /// - Parameters:
    ///   - count: the number of steps.
    ///   - lines: the number of lines of the sentence.
    init(_ rect: Rect, steps count: Int = 0, sentence lines: Int = 0) {
        whole = rect
        let (title, rest) = rect.split(top: rect.rows >= 10 ? 2 : 1)
        self.title = title.row(0)
        source = title.rows > 1 ? title.row(1) : title.split(top: 1).rest
        hasRule = rest.rows >= 12
        // The sentence contains names and errors, so it can be long: three lines, or two if there is little room, and more if the steps
        // leave room.
        let (least, rule) = hasRule ? (4, 1) : (2, 0)
        (sentence, steps) = rest.split(bottom: max(least, min(lines + rule, rest.rows - count * (hasRule ? 2 : 1))))
    }

    /// The number of lines per step. If there is room, the step's sentence stands below it: whole if the longest of all steps fits.
    func stepHeight(sentences lines: [Int]) -> Int {
        let whole = 1 + (lines.max() ?? 1)
        return lines.count * whole <= steps.rows ? max(2, whole) : steps.rows >= 8 ? 2 : 1
    }
}

/// The path of the selected error: the tasks that it reached, in order, and what each did with it.
struct FaultPathPanel {
    let path: FaultPath
    let steps: ListPane
    /// The index of the current step.
    let step: Int?
    /// The room for the source elsewhere on the screen. Empty without room.
    var sourceRoom = Rect.empty
    let shared: SharedState

    private var store: TraceStore { shared.store }
    private var isASCII: Bool { shared.isASCII }

    func draw(in areas: PathAreas, on canvas: inout Canvas) {
        drawTitle(of: path, in: areas.title, on: &canvas)
        drawSource(in: areas, on: &canvas)
        steps.draw(on: &canvas) { index, lines, canvas in draw(path.steps[index], at: index, of: path, in: lines, on: &canvas) }
        drawSentence(in: areas, on: &canvas)
    }

    private func drawTitle(of path: FaultPath, in rect: Rect, on canvas: inout Canvas) {
        let description = store.entries.error(path.error)
        let error = ErrorText.text(description)
        let site = description?.site ?? ""
        let steps = path.isPartial ? "more than \(CountText.text(path.steps.count)) steps" : CountText.text(path.steps.count, "step")
        let position = step.map { "step \(CountText.text($0 + 1)) of \(CountText.text(path.steps.count))" }
        let spans = [
            Span(" " + error.fitting(max(12, rect.columns - 36), shared.glyphs), .fault, .bold),
            Span("  "),
            Span(String(Character(shared.glyphs[path.verdict.canvasGlyph])) + " " + path.verdict.name, path.verdict.role, .bold),
            Span("  " + (position ?? steps), .dim), Span(site.isEmpty ? "" : "  thrown in \(PrintableText.text(site))", .dim),
        ]
        canvas.write(spans, at: rect.origin, end: rect.right)
    }

    private static let leastSourceRows = 5
    private static let mostSourceMargin = 16

    /// The line that threw, and the lines around it: beside the path, or else below its steps where they leave room.
    private func drawSource(in areas: PathAreas, on canvas: inout Canvas) {
        let thrown = step.flatMap { path.steps.indices.contains($0) ? path.steps[$0].site(in: store) : nil } ?? ""
        let site = thrown.isEmpty ? store.entries.error(path.error)?.site : thrown
        let isBeside = sourceRoom.rows >= Self.leastSourceRows
        let below = areas.steps.split(top: min(areas.steps.rows, path.steps.count * steps.rowHeight + 1)).rest
        let free = isBeside ? sourceRoom : below
        let margin = min(isBeside ? Self.mostSourceMargin : 8, (free.rows - 2) / 2)
        guard free.rows >= Self.leastSourceRows, let excerpt = shared.excerpt(at: site, margin: margin) else {
            guard !areas.source.isEmpty, let excerpt = shared.excerpt(at: site) else { return }
            canvas.write([Span("   ")] + excerpt.line(shared.glyphs), at: areas.source.origin, end: areas.source.right - 1)
            return
        }
        draw(excerpt, titled: isBeside ? excerpt.title : nil, in: free, on: &canvas)
        if isBeside { drawMaker(besides: site, in: below, on: &canvas) }
    }

    private func draw(_ excerpt: SourceExcerpt, titled title: [Span]?, in room: Rect, on canvas: inout Canvas) {
        let rows = (title.map { [$0] } ?? []) + excerpt.rows(shared.glyphs)
        for (row, spans) in rows.prefix(room.rows).enumerated() {
            canvas.write(spans, at: room.origin.moved(columns: 1, rows: row), end: room.right - 1)
        }
    }

    /// The lines where the current step's task was made, or else the last step's: there the error can be read.
    private func drawMaker(besides shown: String?, in room: Rect, on canvas: inout Canvas) {
        let index = step.flatMap { path.steps.indices.contains($0) ? $0 : nil } ?? path.steps.count - 1
        guard room.rows >= Self.leastSourceRows, index >= 0, let task = store.task(path.steps[index].task), task.label.site != shown,
            let excerpt = shared.excerpt(at: task.label.site, margin: min(8, (room.rows - 2) / 2))
        else { return }
        let words = "  made the task of step \(CountText.text(index + 1))"
        draw(excerpt, titled: [excerpt.title[0], Span(words, .dim)], in: room, on: &canvas)
    }

    private static let mostWholeSentences = 16

    /// The number of lines that each step's sentence needs. Empty for a path of many steps.
    func sentenceLines(columns: Int) -> [Int] {
        guard path.steps.count <= Self.mostWholeSentences else { return [] }
        return path.steps.map { WrappedText.lines(sentence(of: $0), columns: StepColumns(width: columns).sentence.count).count }
    }

    private func sentence(of step: FaultStep) -> String {
        shared.sentence(FaultSentence(store, isASCII: isASCII, callsErrorIt: true).text(of: step))
    }

    private func draw(_ step: FaultStep, at index: Int, of path: FaultPath, in rect: Rect, on canvas: inout Canvas) {
        let line = rect.row(0)
        let columns = StepColumns(width: line.columns)
        func point(_ columns: Range<Int>) -> Point { Point(column: line.left + columns.lowerBound, row: line.top) }
        guard let task = store.task(step.task) else { return }
        let state = DisplayedState(task)
        canvas.write(number: index + 1, at: point(columns.number), style: Style(.dim), limit: columns.number.count, align: .right)
        canvas.put(state.canvasGlyph, at: point(columns.state), style: Style(state.role))
        let words = TaskWords(store)
        let name = Style(task.isSkipped ? .skipped : .text, step.task == path.origin ? .bold : [])
        let site = PrintableText.text(step.site(in: store))
        let title = step.isAgain ? site.isEmpty ? "thrown again" : "again in \(site)" : words.name(of: task)
        canvas.write(title.fittingName(columns.name.count, shared.glyphs), at: point(columns.name), style: name, limit: columns.name.count)
        if task.executor != .none {
            let role: Role = task.isSkipped ? .skipped : store.role(of: task.executor)
            canvas.write(words.name(task.executor), at: point(columns.executor), style: Style(role), limit: columns.executor.count)
        }
        let role = step.role.map { ($0.name, $0.role) } ?? ("not ended", .pending)
        canvas.write(role.0, at: point(columns.role), style: Style(role.1), limit: columns.role.count)
        let sentences = FaultSentence(store, isASCII: isASCII)
        let delay = sentences.delay(of: step).map { "+" + DurationText.text($0, isASCII: isASCII) }
        canvas.write(
            index == 0 ? ClockText.text(task.ended ?? 0) : delay ?? "", at: point(columns.delay), style: Style(.dim),
            limit: columns.delay.count, align: .right)
        guard rect.rows > 1 else { return }
        // The error's rail runs between two consecutive steps.
        if index + 1 < path.steps.count {
            let next = path.steps[index + 1]
            let rail: Glyph = next.from == step.task ? (store.task(next.task)?.isSkipped ?? false ? .dotted : .vertical) : .separator
            for row in 1..<rect.rows {
                canvas.put(rail, at: point(columns.state).moved(rows: row), style: Style(rail == .dotted ? .skipped : .fault))
            }
        }
        let room = columns.sentence.count
        for (row, text) in WrappedText.lines(sentence(of: step), columns: room, rows: rect.rows - 1, shared.glyphs).enumerated() {
            canvas.write(text, at: point(columns.name).moved(rows: row + 1), style: Style(.dim), limit: room)
        }
    }

    /// The sentence below the steps: that of the current step, or what became of the error.
    private var sentence: String {
        let sentences = FaultSentence(store, isASCII: isASCII)
        guard let step, path.steps.indices.contains(step) else { return shared.sentence(sentences.summary(of: path)) }
        return shared.sentence(sentences.text(of: path.steps[step])) + "."
    }

    /// The areas in the panel of the screen.
    func areas(in rect: Rect) -> PathAreas {
        PathAreas(rect, steps: path.steps.count, sentence: WrappedText.lines(sentence, columns: rect.columns - 2).count)
    }

    private func drawSentence(in areas: PathAreas, on canvas: inout Canvas) {
        let rect = areas.sentence
        canvas.horizontalLine(at: rect.origin, columns: areas.hasRule ? rect.columns : 0)
        let area = areas.hasRule ? rect.split(top: 1).rest : rect
        for (row, line) in WrappedText.lines(sentence, columns: area.columns - 2, rows: area.rows, shared.glyphs).enumerated() {
            canvas.write(line, at: area.origin.moved(columns: 1, rows: row), style: Style(.text))
        }
    }
}

/// The columns of a step's line.
private struct StepColumns {
    let number = 1..<4
    let state = 5..<6
    let name: Range<Int>
    let executor: Range<Int>
    let role: Range<Int>
    let delay: Range<Int>
    /// The room of a line of the step's sentence.
    let sentence: Range<Int>

    init(width: Int) {
        let wide = width >= 70
        delay = max(0, width - 11)..<max(0, width - 1)
        role = delay.lowerBound - 12..<delay.lowerBound - 1
        executor = role.lowerBound - (wide ? 15 : 11)..<role.lowerBound - 1
        name = 7..<max(8, executor.lowerBound - 1)
        sentence = name.lowerBound..<max(8, width - 1)
    }
}
