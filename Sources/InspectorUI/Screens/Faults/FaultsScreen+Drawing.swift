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
        let words = TaskWords(shared.store)
        let tasks = pane.rows.compactMap { shared.store.task(order[$0]) }
        let texts = pane.rows.map { errorText(ofRow: $0, shared) }
        let columns = FaultColumns(
            width: frame.list.columns, errors: texts.map { CharacterWidth.of($0) }.max() ?? 0,
            names: tasks.map { CharacterWidth.of(words.nameOfOrigin($0)) }.max() ?? 0)
        let sorted = { (isSorted: Bool, glyph: Glyph) in isSorted ? String(Character(shared.glyphs[glyph])) : "" }
        let titles = [
            ("Time" + sorted(!order.isByVerdict, .sortedDown), columns.time, Alignment.right),
            ("Verdict" + sorted(order.isByVerdict, .sortedUp), columns.verdict, .left), ("Error", columns.error, .left),
        ]
        canvas.heading(titles + [("Began in", columns.origin, .left)], in: frame.heading)
        pane.draw(on: &canvas) { row, rowArea, canvas in draw(row, shared, columns, in: rowArea, on: &canvas) }
        guard let path else { return }
        // Beside the path, the source has the room below the list.
        let room = frame.isSideBySide ? frame.list.split(top: min(frame.list.rows, order.count + 1)).rest : .empty
        canvas.clipped(to: frame.body) { canvas in
            FaultPathPanel(path: path, steps: steps, step: step, sourceRoom: room, shared: shared).draw(in: pathAreas, on: &canvas)
        }
    }

    private func emptyText(_ shared: SharedState) -> String {
        // A trace of snapshots has no outcomes.
        guard shared.store.swiftRoutes.contains(.ends) else {
            return "This trace does not show how Swift tasks end, so it has no errors of theirs. 'hopscope run' shows them."
        }
        guard !shared.program.hasEnded else { return "No task failed." }
        return "No error so far: each appears here as soon as a task fails, with all that became of it."
    }

    /// A row's error. Of equal errors, their number stands before it.
    private func errorText(ofRow row: Int, _ shared: SharedState) -> String {
        let count = order.count(ofRow: row)
        let error = shared.store.task(order[row]).flatMap { TaskWords(shared.store).error(of: $0) } ?? ""
        return count == 1 ? error : "\(CountText.text(count))x \(error)"
    }

    private func draw(_ row: Int, _ shared: SharedState, _ columns: FaultColumns, in rect: Rect, on canvas: inout Canvas) {
        let origin = order[row]
        func point(_ range: Range<Int>) -> Point { Point(column: rect.left + range.lowerBound, row: rect.top) }
        guard let task = shared.store.task(origin) else {
            canvas.write("\(origin.words) is not kept any more", at: point(columns.verdict), style: Style(.dim))
            return
        }
        let words = TaskWords(shared.store)
        canvas.write(
            columns.isWide ? ClockText.precise(task.ended ?? 0) : ClockText.milliseconds(task.ended ?? 0), at: point(columns.time),
            style: Style(.dim), limit: columns.time.count, align: .right)
        if let (verdict, isPartial) = verdict(of: origin) {
            let style = Style(verdict.role)
            let more = isPartial ? String(Character(shared.glyphs[.ellipsis])) : ""
            canvas.put(verdict.canvasGlyph, at: point(columns.verdict), style: style)
            canvas.write(verdict.name + more, at: point(columns.verdict).moved(columns: 2), style: style, limit: columns.verdict.count - 2)
        }
        let error = errorText(ofRow: row, shared).fittingWords(columns.error.count, shared.glyphs)
        canvas.write(error, at: point(columns.error), style: Style(.fault), limit: columns.error.count)
        let name = words.nameOfOrigin(task).fittingName(columns.origin.count, shared.glyphs)
        canvas.write(name, at: point(columns.origin), style: Style(.text), limit: columns.origin.count)
    }
}

/// The columns of an error's line.
struct FaultColumns {
    let time: Range<Int>
    let verdict: Range<Int>
    let error: Range<Int>
    let origin: Range<Int>
    /// Whether times have microseconds, which tell the errors of a burst apart.
    let isWide: Bool

    /// Long errors take the room that the names do not need, and long names that of the errors.
    ///
    /// - Parameters:
    ///   - errors: the width of the longest error in sight.
    ///   - names: the width of the longest name in sight.
    init(width: Int, errors longest: Int, names: Int) {
        isWide = width >= 100
        time = 1..<(isWide ? 13 : 10)
        verdict = time.upperBound + 2..<time.upperBound + 14
        let free = max(20, width - 1 - verdict.upperBound - 2)
        let share = free * 11 / 20
        let beside = free - max(8, names) - 2
        let errors = max(min(longest + 1, share), min(share, beside), min(longest + 1, beside))
        error = verdict.upperBound + 1..<verdict.upperBound + 1 + errors
        origin = error.upperBound + 1..<max(error.upperBound + 2, width - 1)
    }
}
