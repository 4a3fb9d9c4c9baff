import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The cancellations of the trace, and the path of the selected one: the code that asked, and what each task did that it reached. It is
/// an overlay above Faults.
struct CancellationsScreen: Layer {
    static let name = ScreenName("Cancellations")
    static let modes = [
        KeyMode(
            "Cancellations",
            KeyRow.list + [
                .opensTask,
                KeyRow(
                    .character("n"), shown: "n p", footer: "walk the path", help: "walk the cancellation's path, and back",
                    answer { $0.walk(by: 1, &$1) }),
                KeyRow(.character("p"), shown: "n p", answer { $0.walk(by: -1, &$1) }),
                KeyRow(.character("c"), shown: "c", footer: "errors", help: "back to the errors", answer { _, _ in .close() }),
                .escape("back", "back to the path's beginning, then to the errors"),
            ])
    ]
    static let facets = Facets<Self>(
        search: .init(rows: { $0.searched($1) }, select: { $0.select($1, &$2) }), site: { $0.site($1) },
        idleKeys: { screen, _ in screen.paths.isEmpty ? KeyRow.keysOfRows + ["n", "p"].map { Key.character($0) } : [] })

    /// The least number of nanoseconds between two updates.
    private static let pause: UInt64 = 250_000_000
    /// Nanoseconds between two updates for each task of the paths, some twenty times what an update takes.
    private static let pausePerTask: UInt64 = 20_000

    private var tasks = CancelledTasks()
    /// In the order of their times.
    private(set) var paths: [CancellationPath] = []
    /// The task that the selected cancellation reached first. Nil follows the first cancellation.
    private var selection: TaskID?
    /// The index of the current step. Nil before the first step.
    private(set) var step: Int?
    private(set) var pane = ListPane()
    private(set) var steps = ListPane()
    private var foundAt: (version: UInt64, time: UInt64)?
    private var body = Rect.empty
    private var frame = ListAndPanel(.empty, listRows: 0)

    init(_ shared: SharedState) {
        find(shared, at: 0)
        take(shared.selection)
    }

    var row: Int? {
        guard let selection else { return paths.isEmpty ? nil : 0 }
        return paths.firstIndex { $0.first == selection } ?? (paths.isEmpty ? nil : 0)
    }

    var path: CancellationPath? { row.map { paths[$0] } }
    var task: TaskID? { path.map { path in step.map { path.steps[$0].task } ?? path.first } }

    /// The place of the request.
    private func site(_ shared: SharedState) -> String? { path?.place(in: shared.store) }

    // MARK: State

    mutating func restart(_ shared: SharedState) { foundAt = nil }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        find(shared, at: time)
        layOut(in: body, shared)
    }

    private mutating func find(_ shared: SharedState, at now: UInt64) {
        let pause = max(Self.pause, UInt64(tasks.ids.count) * Self.pausePerTask)
        if let foundAt, foundAt.version == shared.store.version || now < foundAt.time + pause { return }
        tasks.bringUpToDate(shared.history)
        paths = CancellationAnalysis(shared.store).paths(of: tasks.ids.lazy.compactMap { shared.store.task($0) })
        foundAt = (shared.store.version, now)
        if let step, step >= path?.steps.count ?? 0 { self.step = nil }
    }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        self.body = body
        frame = ListAndPanel(body, listRows: min(paths.count + 2, body.rows * 9 / 20), panelColumns: 90)
        pane.layOut(in: frame.list, count: paths.count)
        pane.highlight(row)
        let areas = CancellationAreas(frame.panel)
        steps.layOut(in: areas.steps, count: path?.steps.count ?? 0, rowHeight: areas.steps.rows >= (path?.steps.count ?? 0) * 2 ? 2 : 1)
        steps.highlight(step)
    }

    /// Shows the cancellation that reached the selected task, if there is one.
    mutating func show(_ shared: inout SharedState) {
        if task != shared.selection { take(shared.selection) }
    }

    /// Selects the cancellation that reached the task, if there is one.
    private mutating func take(_ task: TaskID?) {
        guard let task, let path = paths.first(where: { $0.steps.contains { $0.task == task } }) else { return }
        selection = path.first
        step = path.steps.firstIndex { $0.task == task }
        pane.select(row)
    }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        pane.highlight(row)
        guard let target = pane.target(of: movement) else { return .ignored }
        let before = (pane.selected, pane.rows)
        select(target, &shared)
        return .changed(if: (pane.selected, pane.rows) != before)
    }

    mutating func open(_ shared: inout SharedState) -> Answer {
        guard let task else { return .ignored }
        shared.follow(task)
        return .detail(of: task)
    }

    private mutating func select(_ row: Int, _ shared: inout SharedState) {
        if paths[row].first != selection {
            step = nil
            steps.setTop(0)
        }
        selection = paths[row].first
        pane.select(row)
        shared.follow(paths[row].first)
    }

    private mutating func walk(by direction: Int, _ shared: inout SharedState) -> Answer {
        guard let path else {
            shared.notice = "No task was cancelled: there is no path to walk."
            return .ignored
        }
        let next = step.map { $0 + direction } ?? 0
        guard path.steps.indices.contains(next) else {
            shared.notice = "This is the \(direction > 0 ? "last" : "first") of the path's \(CountText.text(path.steps.count, "step"))."
            return .changed(if: false)
        }
        go(toStep: next, &shared)
        return .changed
    }

    private mutating func go(toStep step: Int, _ shared: inout SharedState) {
        guard let path else { return }
        selection = path.first
        self.step = step
        steps.setCount(path.steps.count)
        steps.select(step)
        shared.follow(path.steps[step].task)
    }

    mutating func leave(_ shared: inout SharedState) -> Answer {
        guard step != nil else { return .close() }
        step = nil
        return .changed
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        if let row = pane.row(at: point) {
            if row == self.row { return open(&shared) }
            select(row, &shared)
        } else if let row = steps.row(at: point) {
            if row == step { return open(&shared) }
            go(toStep: row, &shared)
        }
        return .changed
    }

    mutating func scroll(by rows: Int, at point: Point, _ shared: inout SharedState) {
        if steps.area.contains(point) { steps.scroll(by: rows) } else { pane.scroll(by: rows) }
    }

    private func searched(_ shared: SharedState) -> SearchedRows {
        SearchedRows(count: paths.count, cursor: row ?? 0) { [paths] row in
            paths[row].steps.map { shared.name(of: $0.task) }.joined(separator: " ")
        }
    }

    // MARK: Drawing

    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        guard let path else {
            return EmptyNote.draw(Self.emptyText(shared), in: frame.body, on: &canvas)
        }
        frame.drawRule(on: &canvas)
        let time = 1..<(frame.list.columns >= 100 ? 13 : 10)
        let count = time.upperBound + 2..<time.upperBound + 7
        let text = count.upperBound + 2..<max(count.upperBound + 3, frame.list.columns - 1)
        canvas.heading([("Time", time, .right), ("Tasks", count, .right), ("Cancelled first", text, .left)], in: frame.heading)
        let sentence = CancellationSentence(shared.store, isASCII: shared.isASCII)
        pane.draw(on: &canvas) { row, rect, canvas in
            let path = paths[row]
            func point(_ range: Range<Int>) -> Point { Point(column: rect.left + range.lowerBound, row: rect.top) }
            let clock = time.count > 9 ? ClockText.precise(path.at) : ClockText.milliseconds(path.at)
            canvas.write(clock, at: point(time), style: Style(.dim), limit: time.count, align: .right)
            canvas.write(number: path.steps.count, at: point(count), style: Style(.cancelled), limit: count.count, align: .right)
            let words = "\(shared.name(of: path.first)): \(shared.sentence(sentence.beginning(of: path)))"
            canvas.write(words.fittingWords(text.count, shared.glyphs), at: point(text), style: Style(.text), limit: text.count)
        }
        canvas.clipped(to: frame.panel) { canvas in draw(path, in: CancellationAreas(frame.panel), shared, on: &canvas) }
    }

    private static func emptyText(_ shared: SharedState) -> String {
        guard shared.store.swiftRoutes.contains(.cancellation) else {
            return "This trace does not show who cancelled a Swift task. 'hopscope run' shows it."
        }
        return shared.program.hasEnded ? "No task was cancelled." : "No task was cancelled so far."
    }

    private func draw(_ path: CancellationPath, in areas: CancellationAreas, _ shared: SharedState, on canvas: inout Canvas) {
        let sentence = CancellationSentence(shared.store, isASCII: shared.isASCII)
        let name = shared.name(of: path.first).fittingName(max(12, areas.title.columns - 24), shared.glyphs)
        let position = step.map { "step \(CountText.text($0 + 1)) of \(CountText.text(path.steps.count))" }
        let title = [
            Span(" " + name, .cancelled, .bold), Span("  " + (position ?? CountText.text(path.steps.count, "step")), .dim),
        ]
        canvas.write(title, at: areas.title.origin, end: areas.title.right)
        if let excerpt = shared.excerpt(at: site(shared)), !areas.source.isEmpty {
            canvas.write([Span("   ")] + excerpt.line(shared.glyphs), at: areas.source.origin, end: areas.source.right - 1)
        }
        steps.draw(on: &canvas) { index, rect, canvas in
            draw(path.steps[index], at: index, of: path, in: rect, sentence, shared, on: &canvas)
        }
        let text =
            step.map { "\(shared.name(of: path.steps[$0].task)) \(sentence.text(of: path.steps[$0]))" } ?? sentence.beginning(of: path)
        canvas.horizontalLine(at: areas.sentence.origin, columns: areas.sentence.columns)
        let lines = WrappedText.lines(
            shared.sentence(text) + ".", columns: areas.sentence.columns - 2, rows: areas.sentence.rows - 1, shared.glyphs)
        for (row, line) in lines.enumerated() {
            canvas.write(line, at: areas.sentence.origin.moved(columns: 1, rows: row + 1), style: Style(.text))
        }
    }

    private func draw(
        _ step: CancellationPath.Step, at index: Int, of path: CancellationPath, in rect: Rect, _ sentence: CancellationSentence,
        _ shared: SharedState, on canvas: inout Canvas
    ) {
        guard let task = shared.store.task(step.task) else { return }
        let state = DisplayedState(task)
        let line = rect.row(0)
        func point(_ column: Int) -> Point { Point(column: line.left + column, row: line.top) }
        canvas.write(number: index + 1, at: point(1), style: Style(.dim), limit: 3, align: .right)
        canvas.put(state.canvasGlyph, at: point(5), style: Style(state.role))
        // A task can find that it is cancelled before the request that reached it first is recorded.
        let delay = index == 0 ? ClockText.text(step.at) : "+" + shared.duration(step.at > path.at ? step.at - path.at : 0)
        let end = max(8, line.columns - 12)
        // In a flat list of steps, the parent is in the name's line.
        let from = step.from == .none ? "" : "  from \(shared.name(of: step.from))"
        let name = shared.name(of: step.task).fittingName(max(1, end - 8), shared.glyphs)
        canvas.write([Span(name, .text), Span(from, .dim)], at: point(7), end: line.left + end)
        canvas.write(delay, at: point(end + 1), style: Style(.dim), limit: 10, align: .right)
        guard rect.rows > 1 else { return }
        if index + 1 < path.steps.count { canvas.put(.vertical, at: point(5).moved(rows: 1), style: Style(.cancelled)) }
        let room = max(1, line.columns - 8)
        let text = shared.sentence(sentence.text(of: step)).fittingWords(room, shared.glyphs)
        let role: Role = step.isLate(shared.findings.index) ? .warning : .dim
        canvas.write(text, at: point(7).moved(rows: 1), style: Style(role), limit: room)
    }
}

/// The areas of a cancellation's path.
private struct CancellationAreas {
    let title: Rect
    /// The line of source that asked. Empty without room.
    let source: Rect
    let steps: Rect
    let sentence: Rect

    init(_ rect: Rect) {
        let (title, rest) = rect.split(top: rect.rows >= 10 ? 2 : 1)
        self.title = title.row(0)
        source = title.rows > 1 ? title.row(1) : title.split(top: 1).rest
        (sentence, steps) = rest.split(bottom: min(rest.rows, rest.rows >= 10 ? 4 : 2))
    }
}
