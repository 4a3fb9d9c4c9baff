import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// Draws the visible part of the boxes: the boxes, the lines between them, and the lines' labels.
struct BoxesPanel {
    private let shared: SharedState
    private let boxes: BoxesWindow
    private let layout: Boxes
    private let origin: BoxCorner

    private var store: TraceStore { shared.store }

    /// The tasks whose boxes have lines to the right.
    private let leaves: Set<TaskID>
    /// The index of the selected box.
    private let selected: Int?

    init(_ boxes: BoxesWindow, _ shared: SharedState) {
        self.shared = shared
        self.boxes = boxes
        layout = boxes.layout
        origin = boxes.origin
        let layout = boxes.layout
        selected = shared.selection.flatMap(layout.index)
        leaves = Set(layout.wires.map { layout.boxes[$0.left].task })
    }

    func draw(in rect: Rect, on canvas: inout Canvas) {
        canvas.clipped(to: rect) { canvas in
            drawWires(in: rect, on: &canvas)
            for box in layout.boxes where isInSight(box, rect) { draw(box, in: rect, on: &canvas) }
        }
    }

    private func isInSight(_ box: Box, _ rect: Rect) -> Bool {
        box.column < origin.column + rect.columns && box.column + box.columns > origin.column
            && box.row < origin.row + rect.rows && box.row + box.rows > origin.row
    }

    private func point(column: Int, row: Int, _ rect: Rect) -> Point {
        rect.origin.moved(columns: column - origin.column, rows: row - origin.row)
    }

    // MARK: Boxes

    private func draw(_ box: Box, in rect: Rect, on canvas: inout Canvas) {
        guard let texts = BoxTexts(box, boxes.crowds[box.task], store) else { return }
        let (task, state) = (texts.task, texts.state)
        let isSelected = shared.selection.map { box.members.contains($0) } ?? false
        let at = point(column: box.column, row: box.row, rect)
        let area = Rect(column: at.column, row: at.row, columns: box.columns, rows: box.rows)
        canvas.fill(area)
        canvas.frame(area, style: Style(frameRole(of: task, state), isSelected ? .bold : []))
        let inside = area.inset(columns: 1, rows: 1)
        canvas.put(state.canvasGlyph, at: inside.origin, style: Style(state.role))
        let last = drawName(texts, isSelected: isSelected, in: inside, on: &canvas)
        drawExecutor(texts, in: inside, row: last + 1, on: &canvas)
        if boxes.layout.boxRows >= BoxTexts.tallRows, texts.count.isEmpty { drawFate(of: task, below: last + 1, in: inside, on: &canvas) }
        if leaves.contains(box.task) {
            canvas.put(.teeRight, at: Point(column: area.right - 1, row: area.top + 2), style: Style(frameRole(of: task, state)))
        }
        if isSelected { canvas.restyle(area, .selected) }
    }

    /// Draws the name and the number of tasks. Returns the last row of the name, 0 or 1: a tall box has two rows for it.
    private func drawName(_ texts: BoxTexts, isSelected: Bool, in inside: Rect, on canvas: inout Canvas) -> Int {
        let count = texts.count.isEmpty ? "" : (shared.isASCII ? "x" : "×") + texts.count
        canvas.write(count, at: inside.origin, style: Style(.title, .bold), limit: inside.columns, align: .right)
        let role: Role = texts.state == .skipped ? .skipped : texts.state == .faulted ? .fault : .text
        let style = Style(role, isSelected ? .bold : [])
        let room = inside.columns - 2 - (count.isEmpty ? 0 : count.count + 1)
        let name = texts.isBeginning ? texts.name + String(Character(shared.glyphs[.ellipsis])) : texts.name
        let at = inside.origin.moved(columns: 2)
        let lines = name.twoLines(room)
        guard boxes.layout.boxRows >= BoxTexts.tallRows, !lines.second.isEmpty else {
            canvas.write(name.fittingName(room, shared.glyphs), at: at, style: style, limit: room)
            return 0
        }
        canvas.write(lines.first, at: at, style: style, limit: room)
        canvas.write(
            lines.second.fittingName(inside.columns - 2, shared.glyphs), at: at.moved(rows: 1), style: style, limit: inside.columns - 2)
        return 1
    }

    /// Draws the executor and the duration, which is left out in a narrow box.
    private func drawExecutor(_ texts: BoxTexts, in inside: Rect, row: Int, on canvas: inout Canvas) {
        let sign = texts.isLeast ? (shared.isASCII ? ">=" : "≥ ") : texts.isMost ? (shared.isASCII ? "max " : "≤ ") : ""
        let duration = texts.state == .skipped ? "" : sign + shared.duration(texts.time)
        let at = inside.origin.moved(columns: 1, rows: row)
        let room = inside.columns - 1
        let width = CharacterWidth.of(duration)
        let isWide = room >= 16 || CharacterWidth.of(texts.executor) + 1 + width <= room
        if isWide || texts.executor.isEmpty { canvas.write(duration, at: at, style: Style(.dim), limit: room, align: .right) }
        guard !texts.executor.isEmpty else { return }
        let style = Style(texts.state == .skipped ? .skipped : store.role(of: texts.task.executor, else: .dim))
        let limit = isWide ? room - width - 1 : room
        canvas.write(texts.executor.fittingName(limit, shared.glyphs), at: at, style: style, limit: limit)
    }

    /// Draws the task's fate, and its times beside the time that its body ran, in the rows that a tall box has left.
    private func drawFate(of task: TaskView, below row: Int, in inside: Rect, on canvas: inout Canvas) {
        let times = [("queued", task.queuedTime), ("suspended", task.suspendedTime)]
        let line = times.compactMap { name, time in time.flatMap { $0 > 0 ? "\(name) \(shared.duration($0))" : nil } }
            .joined(separator: ", ")
        var lines = [FateText.spans(of: task, in: shared, columns: inside.columns - 1), [Span(line, .dim)]]
        lines.removeAll { $0.allSatisfy { $0.width == 0 } }
        for (offset, spans) in lines.prefix(max(0, inside.rows - row - 1)).enumerated() {
            canvas.write(spans, at: inside.origin.moved(columns: 1, rows: row + 1 + offset), end: inside.right)
        }
    }

    private func frameRole(of task: TaskView, _ state: DisplayedState) -> Role {
        switch state {
        case .faulted: .fault
        case .running: .running
        case .skipped: .skipped
        case .pending, .queued, .suspended, .succeeded, .cancelled, .unknown, .ended: .border
        }
    }

    // MARK: Lines

    private func drawWires(in rect: Rect, on canvas: inout Canvas) {
        var mesh = WireMesh(origin: origin, size: rect.size)
        for wire in layout.wires { mesh.add(wire, style: style(of: wire)) }
        for (index, cell) in mesh.cells.enumerated() where cell.ways != 0 {
            let at = rect.origin.moved(columns: index % max(1, rect.columns), rows: index / max(1, rect.columns))
            canvas.put(cell.glyph, at: at, style: cell.style)
        }
        for wire in layout.wires { drawEnd(of: wire, in: rect, on: &canvas) }
    }

    private func style(of wire: BoxWire) -> Style {
        let isSelected = selected == wire.left || selected == wire.right
        let emphasis: Emphasis = isSelected ? .bold : []
        let from = store.task(wire.edge.from)
        guard let to = store.task(wire.edge.to) else { return Style(.border, emphasis) }
        if to.isSkipped { return Style(.skipped, emphasis) }
        if from?.state == .faulted { return Style(.fault, emphasis) }
        if wire.edge.kind == .continues, let hop = BoxTexts.hop(to) { return Style(store.role(ofHopFrom: hop.from, to: hop.to), emphasis) }
        return Style(emphasis.isEmpty ? .border : .text, emphasis)
    }

    /// Draws the arrow's head, and before it a hop to another executor or a skip.
    private func drawEnd(of wire: BoxWire, in rect: Rect, on canvas: inout Canvas) {
        guard let end = wire.corners.last else { return }
        let style = style(of: wire)
        canvas.put(wire.isReversed ? .arrowLeft : .folded, at: point(column: end.column, row: end.row, rect), style: style)
        guard let before = wire.corners.dropLast().last else { return }
        let room = end.column - before.column - 2
        let text: String
        switch BoxTexts.label(of: wire.edge, store) {
        case .none: return
        case .skipped:
            text = room >= BoxTexts.skipped.count ? BoxTexts.skipped : String(Character(shared.glyphs[DisplayedState.skipped.canvasGlyph]))
        case .hop(let name):
            // One letter of an executor's name says nothing. The box has the name too.
            guard room >= min(4, CharacterWidth.of(name)) else { return }
            text = name.fitting(room, shared.glyphs)
        }
        let width = CharacterWidth.of(text)
        guard room >= width, width > 0 else { return }
        canvas.write(text, at: point(column: end.column - width, row: end.row, rect), style: style)
    }
}
