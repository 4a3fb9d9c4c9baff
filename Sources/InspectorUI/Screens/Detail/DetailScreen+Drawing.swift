import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

extension DetailScreen {
    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        guard let view = shared.store.task(task) else {
            return EmptyNote.draw(unknownText(shared), in: pane.area, on: &canvas)
        }
        drawTitle(of: view, shared, in: title, on: &canvas)
        pane.draw(on: &canvas) { row, rowArea, canvas in draw(lines[row], shared, in: rowArea, on: &canvas) }
    }

    /// For a task that the shown state does not have.
    private func unknownText(_ shared: SharedState) -> String {
        let history = shared.history
        if let goal = history.goal { return "On the way to event \(CountText.text(goal))." }
        let past = "ended long ago and is not kept any more."
        guard !history.isAtLatest else { return "\(task.firstWords) \(past)" }
        return "At this event \(task.words) does not exist yet, or it \(past)"
    }

    private func drawTitle(of task: TaskView, _ shared: SharedState, in rect: Rect, on canvas: inout Canvas) {
        let site = PrintableText.text(task.label.site)
        var spans = [
            Span("  \(task.id.words), \(task.kind.name)  ", .dim), shared.span(of: DisplayedState(task), .bold),
        ]
        let nameRoom = max(rect.columns / 2, rect.columns - 2 - spans.reduce(0) { $0 + $1.width })
        let name = TaskWords(shared.store).name(of: task).fittingName(nameRoom, shared.glyphs)
        spans.insert(Span(" \(name)", .title, .bold), at: 0)
        let room = rect.columns - 1 - spans.reduce(0) { $0 + $1.width }
        // Where the whole site does not fit, the file and the line tell more than its module.
        let file = site.split(separator: "/").last.map(String.init) ?? ""
        let shown = [site, file].first { CharacterWidth.of($0) + 2 <= room }
        if let shown, !shown.isEmpty { spans.append(Span("  " + shown, .dim)) }
        canvas.write(spans, at: rect.origin, end: rect.right - 1)
        if shown == nil, !site.isEmpty, !task.isSynthesised {
            canvas.write(site, at: rect.origin.moved(columns: 1, rows: 1), style: Style(.dim), limit: rect.columns - 2)
        }
        if task.isSynthesised {
            let reason = task.isAdopted ? "It was there before the probe was loaded." : "The trace has lost its beginning."
            canvas.write("  " + reason, at: rect.origin.moved(rows: 1), style: Style(.warning))
        }
    }

    private func draw(_ line: DetailLine, _ shared: SharedState, in rect: Rect, on canvas: inout Canvas) {
        if let rails = line.rails {
            let columns = GraphColumns(width: rect.columns - 1, lanes: lanes, needs: needs, pan: 0)
            let inside = rect.split(left: 1).rest
            RailsLine(row: rails, shared: shared, selectedChain: nil).draw(columns, in: inside, on: &canvas)
            if rails.task == task { canvas.restyle(inside, .selected) }
            return
        }
        let column = canvas.write(line.spans, at: rect.origin, end: rect.right - 1)
        guard let share = line.share else { return }
        let bar = Rect(column: column + 8, row: rect.top, columns: max(0, min(40, rect.right - column - 10)), rows: 1)
        canvas.bar(share, of: 1000, at: bar.origin, columns: bar.columns)
        let percent = Point(column: column + 1, row: rect.top)
        canvas.write("\((share + 5) / 10) %", at: percent, style: Style(.dim), limit: 5, align: .right)
    }
}
