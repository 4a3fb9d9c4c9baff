import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

extension HopsScreen {
    func draw(_ shared: SharedState, on canvas: inout Canvas) {
        guard !matrix.cells.isEmpty || !stalls.isEmpty else {
            let text: String
            if isBusy {
                text = "Hops are being counted."
            } else if !shared.store.swiftRoutes.contains(.slices) {
                text = "This trace does not show when Swift tasks run, so it has no hops of theirs. 'hopscope run' shows them."
            } else if shared.program.hasEnded {
                text = "No task changed its executor."
            } else {
                text = "No hop yet: one appears here when a task's job moves to another executor."
            }
            return EmptyNote.draw(text, in: areas.body, on: &canvas)
        }
        canvas.clipped(to: areas.way) { drawWay(shared, in: areas.way, on: &$0) }
        HopMatrixPanel(
            matrix: matrix, sources: sources, targets: targets, selected: ends, hasKeys: part == .matrix, columns: matrixColumns,
            shared: shared
        ).draw(heading: areas.heading, pane: matrixPane, firstColumn: firstColumn, on: &canvas)
        if part == .stalls, let row = stallRow {
            VictimsPanel(stall: stalls[row], shared: shared).draw(title: areas.hopsTitle, in: areas.hops, on: &canvas)
        } else if let ends, let cell = matrix.cells[ends] {
            HopListPanel(ends: ends, cell: cell, hops: hops, isByWait: isByWait, shared: shared)
                .draw(title: areas.hopsTitle, pane: hopPane, on: &canvas)
        } else {
            canvas.write(" No hops between these two.", at: areas.hopsTitle.origin, style: Style(.dim))
        }
        StallsPanel(stalls: stalls, shared: shared).draw(title: areas.stallsTitle, pane: stallPane, on: &canvas)
    }

    private func drawWay(_ shared: SharedState, in rect: Rect, on canvas: inout Canvas) {
        guard let task = shared.selection, let way = ChainAnalysis(shared.store).way(of: task) else {
            canvas.write(
                " Select a hop to see its chain's way.", at: rect.origin, style: Style(.dim))
            return
        }
        let words = TaskWords(shared.store)
        let root = shared.store.chain(of: task)
        let name = shared.name(of: root)
        var tail = [Span("   \(CountText.text(way.hopCount, "hop"))", .text)]
        if way.wait > 0 {
            tail.append(Span(", waited \(shared.duration(way.wait))", .text))
            if let total = way.total { tail.append(Span(" of \(shared.duration(total))", .dim)) }
        }
        let end = rect.right - tail.reduce(1) { $0 + $1.width }
        var spans = [Span(" \(name.fitting(rect.columns / 4, shared.glyphs))", .title, .bold), Span("   ")]
        let arrow = " \(Character(shared.glyphs[.arrow])) "
        for (index, executor) in way.executors.enumerated() {
            if index > 0 { spans.append(Span(arrow, .hop)) }
            spans.append(Span(words.name(executor), shared.store.role(of: executor)))
            if spans.reduce(0, { $0 + $1.width }) > rect.columns { break }
        }
        if way.isPartial { spans.append(Span(arrow + String(Character(shared.glyphs[.ellipsis])), .dim)) }
        let column = canvas.write(spans, at: rect.origin, end: end)
        canvas.write(tail, at: Point(column: column, row: rect.top), end: rect.right)
    }
}
