import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// Draws one row of the rails with facts about its task.
struct RailsLine {
    let row: RailsRow
    let shared: SharedState
    /// The highlighted chain.
    let selectedChain: TaskID?

    func draw(_ columns: GraphColumns, in rect: Rect, on canvas: inout Canvas) {
        guard let task = shared.store.task(row.task) else { return }
        canvas.clipped(to: rect.columns(columns.rails.upperBound..<rect.columns)) { canvas in
            drawFacts(of: task, columns, in: rect, on: &canvas)
        }
        let rails = RailsPicture(row: row, store: shared.store, selectedChain: selectedChain)
        rails.draw(in: rect.columns(columns.rails), on: &canvas)
    }

    private func emphasis(of task: TaskView) -> Emphasis {
        task.chain == selectedChain ? .bold : []
    }

    private func drawFacts(of task: TaskView, _ columns: GraphColumns, in rect: Rect, on canvas: inout Canvas) {
        func point(_ range: Range<Int>) -> Point { Point(column: rect.left + range.lowerBound, row: rect.top) }
        let words = TaskWords(shared.store)
        let state = DisplayedState(task)
        let nameRole: Role = state == .skipped ? .skipped : state == .faulted ? .fault : .text
        // Two adjacent tasks look alike whether or not the lower one continues the upper one. So the first task of a chain is not indented.
        let indent = task.continued == nil ? 0 : 2
        let room = columns.endOfName(before: from(of: task, columns)) - columns.name.lowerBound - indent
        canvas.write(
            words.name(of: task).fittingName(room, shared.glyphs),
            at: point(columns.name).moved(columns: indent), style: Style(nameRole, emphasis(of: task)), limit: room)
        drawExecutor(of: task, columns, in: rect, on: &canvas)

        let duration = state == .skipped ? nil : task.bodyTime(at: shared.store.now)
        canvas.write(
            shared.duration(duration), at: point(columns.duration),
            style: Style(duration == nil ? .dim : .text), limit: columns.duration.count, align: .right)

        canvas.put(state.canvasGlyph, at: point(columns.state), style: Style(state.role))
        canvas.write(
            shared.word(of: state), at: point(columns.state).moved(columns: 2), style: Style(state.role), limit: columns.state.count - 2)
        let fate = FateText.spans(of: task, in: shared, columns: columns.words.count)
        canvas.write(fate, at: point(columns.words), end: rect.left + columns.words.upperBound)
    }

    /// `net→`, of a job that came from another executor and whose row has room for it.
    private func from(of task: TaskView, _ columns: GraphColumns) -> String? {
        guard task.executor != .none, !columns.from.isEmpty, let hop = task.shownHop else { return nil }
        let name = TaskWords(shared.store).name(hop.from).fitting(columns.from.count - 2, shared.glyphs)
        return name + String(Character(shared.glyphs[.arrow]))
    }

    /// Draws `net→ main` for a job that came from another executor, with the target executors aligned.
    private func drawExecutor(of task: TaskView, _ columns: GraphColumns, in rect: Rect, on canvas: inout Canvas) {
        let point = Point(column: rect.left + columns.executor.lowerBound, row: rect.top)
        guard task.executor != .none else {
            canvas.put(.none, at: point, style: Style(.dim))
            return
        }
        let words = TaskWords(shared.store)
        let name = words.name(task.executor).fittingName(columns.executor.count, shared.glyphs)
        guard let hop = task.shownHop else {
            let role: Role = task.isSkipped ? .skipped : shared.store.role(of: task.executor)
            canvas.write(name, at: point, style: Style(role), limit: columns.executor.count)
            return
        }
        let style = Style(shared.store.role(ofHopFrom: hop.from, to: hop.to))
        let arrow = String(Character(shared.glyphs[.arrow]))
        guard let from = from(of: task, columns) else {
            let text = words.name(hop.from) + arrow + name
            // The executor on which the job ran matters more than the one from which it came.
            let shown = CharacterWidth.of(text) > columns.executor.count ? arrow + name : text
            canvas.write(shown, at: point, style: style, limit: columns.executor.count)
            return
        }
        canvas.write(
            from, at: Point(column: rect.left + columns.from.lowerBound, row: rect.top), style: style, limit: columns.from.count,
            align: .right)
        canvas.write(name, at: point, style: style, limit: columns.executor.count)
    }
}

/// Draws the line for siblings that all succeeded.
struct FoldLine {
    let fold: FoldedRows
    let row: RailsRow
    let shared: SharedState
    /// The chain whose rails are highlighted.
    let selectedChain: TaskID?

    func draw(_ columns: GraphColumns, in rect: Rect, on canvas: inout Canvas) {
        let text = Span("\(CountText.text(fold.rows.count)) more succeeded", .dim)
        let point = Point(column: rect.left + max(columns.name.lowerBound, columns.rails.upperBound), row: rect.top)
        canvas.write([text], at: point, end: rect.right)
        let rails = RailsPicture(row: row, store: shared.store, selectedChain: selectedChain, isFold: true)
        rails.draw(in: rect.columns(columns.rails), on: &canvas)
    }
}
