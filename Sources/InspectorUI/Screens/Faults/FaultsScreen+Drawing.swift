import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

extension FaultsScreen {
    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        guard order.count > 0 else {
            return EmptyNote.draw(emptyText(shared), in: frame.body, on: &canvas)
        }
        frame.drawRule(on: &canvas)
        let columns = FaultColumns(width: frame.list.columns)
        let sorted = { (isSorted: Bool, glyph: Glyph) in isSorted ? String(Character(shared.glyphs[glyph])) : "" }
        let titles = [
            ("Time" + sorted(!order.isByVerdict, .sortedDown), columns.time, Alignment.right),
            ("Verdict" + sorted(order.isByVerdict, .sortedUp), columns.verdict, .left), ("Error", columns.error, .left),
        ]
        canvas.heading(titles + [("Began in", columns.origin, .left)], in: frame.heading)
        pane.draw(on: &canvas) { row, place, canvas in draw(order[row], shared, columns, in: place, on: &canvas) }
        guard let path else { return }
        canvas.clipped(to: pathAreas.whole) { canvas in
            FaultPathPanel(path: path, steps: steps, step: step, shared: shared).draw(in: pathAreas, on: &canvas)
        }
    }

    private func emptyText(_ shared: SharedState) -> String {
        // A trace of snapshots has no outcomes.
        guard shared.store.swiftRoutes.contains(.ends) else {
            return "This trace does not show how Swift tasks end, so it has no errors of theirs. 'hopscope run' shows them."
        }
        guard !shared.hasEnded else { return "No task failed." }
        return "No error so far: each appears here as soon as a task fails, with all that became of it."
    }

    private func draw(_ origin: TaskID, _ shared: SharedState, _ columns: FaultColumns, in rect: Rect, on canvas: inout Canvas) {
        func point(_ place: Range<Int>) -> Point { Point(column: rect.left + place.lowerBound, row: rect.top) }
        guard let task = shared.store.task(origin) else {
            canvas.write("task \(origin.rawValue) is not kept any more", at: point(columns.verdict), style: Style(.dim))
            return
        }
        let words = TaskWords(shared.store)
        canvas.write(
            ClockText.text(task.ended ?? 0), at: point(columns.time), style: Style(.dim), limit: columns.time.count, align: .right)
        if let (verdict, isPartial) = verdict(of: origin) {
            let style = Style(verdict.role)
            let more = isPartial ? String(Character(shared.glyphs[.ellipsis])) : ""
            canvas.put(verdict.canvasGlyph, at: point(columns.verdict), style: style)
            canvas.write(verdict.name + more, at: point(columns.verdict).moved(columns: 2), style: style, limit: columns.verdict.count - 2)
        }
        canvas.write(words.error(of: task) ?? "", at: point(columns.error), style: Style(.fault), limit: columns.error.count)
        let name = words.name(of: task).fittingName(columns.origin.count, shared.glyphs)
        canvas.write(name, at: point(columns.origin), style: Style(.text), limit: columns.origin.count)
    }
}

/// The columns of an error's line.
struct FaultColumns {
    let time: Range<Int>
    let verdict: Range<Int>
    let error: Range<Int>
    let origin: Range<Int>

    init(width: Int) {
        time = 1..<9
        verdict = 11..<23
        let free = max(20, width - 1 - 25)
        let errors = free * 11 / 20
        error = 24..<24 + errors
        origin = error.upperBound + 1..<max(error.upperBound + 2, width - 1)
    }
}
