import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// The part of a picture of boxes that is in sight: boxes, the lines between them, and what the lines say.
struct BoxesPanel {
    let model: Model

    private var store: TraceStore { model.store }
    private var layout: Boxes { model.graph.boxes.layout }
    private var origin: BoxCorner { model.graph.boxes.origin }

    /// The tasks whose boxes have lines to the right.
    private let leaves: Set<TaskID>

    init(model: Model) {
        self.model = model
        let layout = model.graph.boxes.layout
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
        let isSelected = box.task == model.selection
        let at = point(column: box.column, row: box.row, rect)
        let area = Rect(column: at.column, row: at.row, columns: box.columns, rows: box.rows)
        canvas.fill(area)
        canvas.frame(area, style: Style(frameRole(of: task, mark), isSelected ? .bold : []))
        let words = TaskWords(store)
        let inside = area.inset(columns: 1, rows: 1)
        canvas.put(mark.canvasGlyph, at: inside.origin, style: Style(mark.role))
        let nameRole: Role = mark == .skipped ? .skipped : mark == .faulted ? .fault : .text
        canvas.write(
            words.name(of: task), at: inside.origin.moved(columns: 2), style: Style(nameRole, isSelected ? .bold : []),
            limit: inside.columns - 2)
        let duration = mark == .skipped ? "" : DurationText.text(task.bodyTime(at: store.now), isASCII: model.glyphs.isASCII)
        let second = inside.origin.moved(columns: 1, rows: 1)
        let room = inside.columns - 1
        let isWide = room >= 16
        if isWide || task.executor == .none {
            canvas.write(duration, at: second, style: Style(.dim), limit: room, align: .right)
        }
        if task.executor != .none {
            let isMain = store.description(of: task.executor).kind == .main
            let style = Style(mark == .skipped ? .skipped : isMain ? .mainHop : .dim)
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
        case .pending, .queued, .suspended, .succeeded, .cancelled: .border
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
        let emphasis: Emphasis = wire.edge.from == model.selection || wire.edge.to == model.selection ? .bold : []
        let from = store.task(wire.edge.from)
        guard let to = store.task(wire.edge.to) else { return Style(.border, emphasis) }
        if to.isSkipped { return Style(.skipped, emphasis) }
        if from?.state == .faulted { return Style(.fault, emphasis) }
        if let hop = hop(of: wire, to) { return Style(hop.isMain ? .mainHop : .hop, emphasis) }
        return Style(emphasis.isEmpty ? .border : .text, emphasis)
    }

    /// The arrow's head, and before it what happened on the way: a hop to another executor, or a skip.
    private func drawEnd(of wire: BoxWire, in rect: Rect, on canvas: inout Canvas) {
        guard let end = wire.corners.last, let to = store.task(wire.edge.to) else { return }
        let style = style(of: wire)
        canvas.put(wire.isReversed ? .arrowLeft : .folded, at: point(column: end.column, row: end.row, rect), style: style)
        guard wire.edge.kind == .continues, let before = wire.corners.dropLast().last else { return }
        let room = end.column - before.column - 2
        let text: String
        if to.isSkipped {
            text = room >= 7 ? "skipped" : String(Character(model.glyphs[StateMark.skipped.canvasGlyph]))
        } else if let hop = hop(of: wire, to) {
            text = hop.name.fitting(room, model.glyphs)
        } else {
            return
        }
        let width = CharacterWidth.of(text)
        guard room >= width, width > 0 else { return }
        canvas.write(text, at: point(column: end.column - width, row: end.row, rect), style: style)
    }

    /// The executor that a continuation's job hopped to, where it is another than before.
    private func hop(of wire: BoxWire, _ task: TaskView) -> (name: String, isMain: Bool)? {
        guard wire.edge.kind == .continues, let hop = task.lastHop, hop.from != hop.to else { return nil }
        let ends = [hop.from, hop.to].map { store.description(of: $0).kind }
        return (TaskWords(store).name(hop.to), ends.contains(.main))
    }
}

/// Lines as cells: which ways each leads. Where lines of two boxes cross, the one that goes up and down passes in front.
struct WireMesh {
    struct Cell {
        /// Left 1, right 2, up 4, down 8.
        var ways: UInt8 = 0
        var left = -1
        var style = Style(.border)

        var glyph: Glyph {
            switch ways {
            case 1, 2, 3: .horizontal
            case 4, 8, 12: style.role == .skipped ? .dotted : .vertical
            case 10: .topLeft
            case 9: .topRight
            case 6: .bottomLeft
            case 5: .bottomRight
            case 14: .teeRight
            case 13: .teeLeft
            case 11: .teeDown
            case 7: .teeUp
            default: .cross
            }
        }
    }

    private let origin: BoxCorner
    private let size: Size
    private(set) var cells: [Cell]

    /// - Parameter origin: the place of the picture that is at the top left.
    init(origin: BoxCorner, size: Size) {
        self.origin = origin
        self.size = size
        cells = Array(repeating: Cell(), count: size.columns * size.rows)
    }

    mutating func add(_ wire: BoxWire, style: Style) {
        for (one, next) in zip(wire.corners, wire.corners.dropFirst()) where one != next {
            let isSideways = one.row == next.row
            let (low, high) = isSideways ? (one.column, next.column) : (min(one.row, next.row), max(one.row, next.row))
            // Only what is in sight is walked.
            let sight = isSideways ? origin.column..<origin.column + size.columns : origin.row..<origin.row + size.rows
            for place in max(low, sight.lowerBound)..<max(low, sight.lowerBound, min(high + 1, sight.upperBound)) {
                let (before, behind): (UInt8, UInt8) = isSideways ? (1, 2) : (4, 8)
                let ways = (place > low ? before : 0) | (place < high ? behind : 0)
                let corner = isSideways ? BoxCorner(column: place, row: one.row) : BoxCorner(column: one.column, row: place)
                mark(corner, ways, left: wire.left, style: style)
            }
        }
    }

    private mutating func mark(_ corner: BoxCorner, _ ways: UInt8, left: Int, style: Style) {
        let (column, row) = (corner.column - origin.column, corner.row - origin.row)
        guard (0..<size.columns).contains(column), (0..<size.rows).contains(row) else { return }
        let place = row * size.columns + column
        if cells[place].ways == 0 || cells[place].left == left {
            cells[place].ways |= ways
            cells[place].left = left
            // The louder of two that share a line.
            if cells[place].style.role == .border || style.emphasis.contains(.bold) { cells[place].style = style }
        } else if ways & 12 != 0 {
            cells[place] = Cell(ways: ways, left: left, style: style)
        }
    }
}
