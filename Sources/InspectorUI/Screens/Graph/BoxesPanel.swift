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
        guard let task = store.task(box.task) else { return }
        let mark = StateMark(task)
        let isSelected = shared.selection.map { box.members.contains($0) } ?? false
        let at = point(column: box.column, row: box.row, rect)
        let area = Rect(column: at.column, row: at.row, columns: box.columns, rows: box.rows)
        canvas.fill(area)
        canvas.frame(area, style: Style(frameRole(of: task, mark), isSelected ? .bold : []))
        let words = TaskWords(store)
        let inside = area.inset(columns: 1, rows: 1)
        canvas.put(mark.canvasGlyph, at: inside.origin, style: Style(mark.role))
        let nameRole: Role = mark == .skipped ? .skipped : mark == .faulted ? .fault : .text
        let count = box.members.count > 1 ? (shared.isASCII ? "x" : "×") + CountText.text(box.members.count) : ""
        let crowd = boxes.crowds[box.task]
        let isNumbered = crowd.map { $0.name != words.name(of: task) && !$0.name.isEmpty } ?? false
        let name = isNumbered ? (crowd?.name ?? "") + String(Character(shared.glyphs[.ellipsis])) : words.name(of: task)
        canvas.write(count, at: inside.origin, style: Style(.title, .bold), limit: inside.columns, align: .right)
        let nameRoom = inside.columns - 2 - (count.isEmpty ? 0 : count.count + 1)
        canvas.write(
            name.fittingName(nameRoom, shared.glyphs), at: inside.origin.moved(columns: 2),
            style: Style(nameRole, isSelected ? .bold : []), limit: nameRoom)
        let longest = crowd.map { (shared.isASCII ? "max " : "≤ ") + shared.duration($0.longest) }
        let duration = mark == .skipped ? "" : longest ?? shared.duration(task.bodyTime(at: store.now))
        let second = inside.origin.moved(columns: 1, rows: 1)
        let room = inside.columns - 1
        let isWide = room >= 16
        if isWide || task.executor == .none {
            canvas.write(duration, at: second, style: Style(.dim), limit: room, align: .right)
        }
        if task.executor != .none {
            let style = Style(mark == .skipped ? .skipped : store.role(of: task.executor, else: .dim))
            canvas.write(words.name(task.executor), at: second, style: style, limit: isWide ? room - CharacterWidth.of(duration) - 1 : room)
        }
        if leaves.contains(box.task) {
            canvas.put(.teeRight, at: Point(column: area.right - 1, row: area.top + 2), style: Style(frameRole(of: task, mark)))
        }
        if isSelected { canvas.restyle(area, .selected) }
    }

    private func frameRole(of task: TaskView, _ mark: StateMark) -> Role {
        switch mark {
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
        for (place, cell) in mesh.cells.enumerated() where cell.ways != 0 {
            let at = rect.origin.moved(columns: place % max(1, rect.columns), rows: place / max(1, rect.columns))
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
        if let hop = hop(of: wire, to) { return Style(store.role(ofHopFrom: hop.from, to: hop.to), emphasis) }
        return Style(emphasis.isEmpty ? .border : .text, emphasis)
    }

    /// Draws the arrow's head, and before it a hop to another executor or a skip.
    private func drawEnd(of wire: BoxWire, in rect: Rect, on canvas: inout Canvas) {
        guard let end = wire.corners.last, let to = store.task(wire.edge.to) else { return }
        let style = style(of: wire)
        canvas.put(wire.isReversed ? .arrowLeft : .folded, at: point(column: end.column, row: end.row, rect), style: style)
        guard wire.edge.kind == .continues, let before = wire.corners.dropLast().last else { return }
        let room = end.column - before.column - 2
        let text: String
        if to.isSkipped {
            text = room >= 7 ? "skipped" : String(Character(shared.glyphs[StateMark.skipped.canvasGlyph]))
        } else if let hop = hop(of: wire, to) {
            text = TaskWords(store).name(hop.to).fitting(room, shared.glyphs)
        } else {
            return
        }
        let width = CharacterWidth.of(text)
        guard room >= width, width > 0 else { return }
        canvas.write(text, at: point(column: end.column - width, row: end.row, rect), style: style)
    }

    /// The hop of a continuation's job to another executor than before.
    private func hop(of wire: BoxWire, _ task: TaskView) -> Hop? {
        guard wire.edge.kind == .continues, let hop = task.lastHop, hop.from != hop.to else { return nil }
        return hop
    }
}
