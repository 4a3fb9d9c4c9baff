import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// Draws the lanes of one row: a lane every second column, and the connections between them.
struct RailsPicture {
    let row: RailsRow
    let store: TraceStore
    /// The chain whose rails are highlighted.
    var selectedChain: TaskID?
    /// Whether the row stands for several folded tasks.
    var isFold = false

    func draw(in rect: Rect, on canvas: inout Canvas) {
        // The place of the last lane also shows rows whose own lane does not fit on the screen.
        let lanes = max(1, (rect.columns + 1) / 2)
        canvas.clipped(to: rect) { canvas in
            for lane in 0..<max(row.above.count, row.below.count) { drawRail(lane, in: rect, on: &canvas) }
            for tie in row.ties { drawTie(tie, in: rect, on: &canvas) }
            drawNode(in: rect, lanes: lanes, on: &canvas)
            if row.width > lanes || row.edgesWithoutLane > 0 {
                canvas.put(.ellipsis, at: Point(column: rect.right - 1, row: rect.top), style: Style(.warning))
            }
        }
    }

    private func rail(_ rails: [Rail?], _ lane: Int) -> Rail? {
        lane < rails.count ? rails[lane] : nil
    }

    private func point(_ lane: Int, _ rect: Rect) -> Point {
        Point(column: rect.left + 2 * lane, row: rect.top)
    }

    private func drawRail(_ lane: Int, in rect: Rect, on canvas: inout Canvas) {
        guard let rail = rail(row.above, lane) ?? rail(row.below, lane) else { return }
        canvas.put(isSkipped(rail) ? .dotted : .vertical, at: point(lane, rect), style: style(of: rail, lane: lane))
    }

    private func drawTie(_ tie: RailTie, in rect: Rect, on canvas: inout Canvas) {
        guard let node = row.lane, node != tie.lane else { return }
        let style = style(of: tie.rail, lane: tie.lane)
        let columns = min(node, tie.lane) * 2 + 1..<max(node, tie.lane) * 2
        for column in columns where column % 2 == 1 || isFree(lane: column / 2) {
            // A crossing rail covers the connection.
            canvas.put(.horizontal, at: Point(column: rect.left + column, row: rect.top), style: style)
        }
        let isRight = tie.lane > node
        let comesFromAbove = rail(row.above, tie.lane) == tie.rail
        let goesOn = rail(row.below, tie.lane) == tie.rail
        let glyph: Glyph =
            switch (comesFromAbove, goesOn) {
            case (true, true): isRight ? .teeLeft : .teeRight
            case (true, false): isRight ? .bottomRight : .bottomLeft
            case (false, _): isRight ? .topRight : .topLeft
            }
        canvas.put(glyph, at: point(tie.lane, rect), style: style)
    }

    private func isFree(lane: Int) -> Bool {
        rail(row.above, lane) == nil && rail(row.below, lane) == nil
    }

    private func drawNode(in rect: Rect, lanes: Int, on canvas: inout Canvas) {
        guard let task = store.task(row.task) else { return }
        let lane = min(row.lane ?? lanes - 1, lanes - 1)
        let style = Style(DisplayedState(task).role, task.chain == selectedChain ? .bold : [])
        canvas.put(isFold ? .fold : DisplayedState(task) == .skipped ? .dotted : .node, at: point(lane, rect), style: style)
    }

    // MARK: Looks

    private func style(of rail: Rail, lane: Int) -> Style {
        let emphasis: Emphasis = selectedChain != nil && store.chain(of: rail.hub) == selectedChain ? .bold : []
        if isSkipped(rail) { return Style(.skipped, emphasis) }
        let isFault = rail.kind == .continues && store.task(rail.hub)?.state == .faulted
        return Style(isFault ? .fault : .rail(lane), emphasis)
    }

    /// Whether all continuations on the rail were skipped.
    private func isSkipped(_ rail: Rail) -> Bool {
        guard rail.kind == .continues, let hub = store.task(rail.hub) else { return false }
        var looked = 0
        for successor in hub.successors {
            guard let task = store.task(successor), task.continued == rail.hub else { continue }
            // Only the first few continuations are read: there may be thousands.
            looked += 1
            guard task.isSkipped, looked < 32 else { return task.isSkipped }
        }
        return looked > 0
    }
}
