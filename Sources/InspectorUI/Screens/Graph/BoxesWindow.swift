import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceLayout
import TraceStore

/// The selected chain as boxes, and the visible part of that picture.
package struct BoxesWindow {
    /// The largest number of tasks drawn.
    static let taskLimit = 400
    /// Nanoseconds between two layouts.
    static let pause: UInt64 = 200_000_000
    /// Widths of a box, from the farthest zoom to the nearest.
    static let widths = [10, 16, 24, 36]

    package private(set) var layout = Boxes()
    /// An index of `widths`.
    package private(set) var zoom = 2
    /// The picture's column and row at the top left of the window.
    package private(set) var origin = BoxCorner(column: 0, row: 0)
    /// The first task of the shown chain.
    package private(set) var chain: TaskID?
    /// Whether tasks were left out.
    package private(set) var isPartial = false
    /// The area in which the picture is drawn.
    private(set) var area = Rect(column: 0, row: 0, columns: 0, rows: 0)
    private var laidOut: Key?
    /// The task whose connected chains are drawn.
    private var focus: TaskID?
    private var lastTime: UInt64?

    private struct Key: Equatable {
        var tasks: [TaskID]
        var links: Int
        var zoom: Int
    }

    mutating func layOut(in area: Rect) {
        self.area = area
    }

    /// Makes the next frame lay out the picture, because the state is from another time.
    mutating func restart() {
        lastTime = nil
    }

    /// Lays out the chain of the selected task and the chains connected with it. Without a selection, keeps the current chain, or takes the
    /// first.
    mutating func arrange(_ store: TraceStore, selection: TaskID?, at now: UInt64) {
        let isOther = selection.map { task in layout.index(of: task) == nil } ?? false
        if let lastTime, now < lastTime + Self.pause, !isOther, laidOut?.zoom == zoom { return }
        lastTime = now
        // Selecting a task inside the picture does not change the picture.
        if isOther || focus == nil { focus = selection ?? firstTask(store) }
        guard let focus else { return }
        let chains = ChainAnalysis(store).chains(connectedWith: focus, limit: Self.taskLimit)
        guard let first = chains.first else { return }
        chain = first.id
        isPartial = chains.contains(where: \.isPartial) || chains.reduce(0) { $0 + $1.tasks.count } >= Self.taskLimit
        let tasks = chains.flatMap(\.tasks).sorted()
        let links = tasks.reduce(0) { sum, id in sum + (store.task(id)?.successorCount ?? 0) }
        let key = Key(tasks: tasks, links: links, zoom: zoom)
        guard key != laidOut else { return }
        laidOut = key
        let anchor = selection.flatMap { box(of: $0) }
        layout = Boxes(tasks, in: store, style: Boxes.Style(boxColumns: Self.widths[zoom], labelColumns: zoom == 0 ? 2 : 9))
        // The selected box keeps its place on the screen.
        if let anchor, let box = box(of: anchor.task) {
            origin.column += box.column - anchor.column
            origin.row += box.row - anchor.row
        } else if isOther || selection == nil {
            origin = BoxCorner(column: 0, row: 0)
        }
        if let selection { show(selection) }
        pan(columns: 0, rows: 0)
    }

    func box(of task: TaskID) -> Box? {
        layout.index(of: task).map { layout.boxes[$0] }
    }

    /// Moves the window within the picture.
    mutating func pan(columns: Int, rows: Int) {
        origin.column = max(0, min(origin.column + columns, layout.columns - area.columns))
        origin.row = max(0, min(origin.row + rows, layout.rows - area.rows))
    }

    /// Moves the window as little as possible to show a task's box.
    mutating func show(_ task: TaskID) {
        guard let box = box(of: task) else { return }
        origin.column = min(box.column, max(origin.column, box.column + box.columns + 4 - area.columns))
        origin.row = min(box.row, max(origin.row, box.row + min(box.rows, 6) - area.rows))
        pan(columns: 0, rows: 0)
    }

    mutating func zoom(by step: Int) {
        zoom = max(0, min(zoom + step, Self.widths.count - 1))
    }

    /// Moves the window by quarters of its size.
    mutating func pan(quarters columns: Int, _ rows: Int) {
        pan(columns: columns * area.columns / 4, rows: rows * area.rows / 4)
    }

    mutating func page(_ direction: Int) {
        pan(columns: 0, rows: direction * (area.rows / 2))
    }

    func task(at point: Point) -> TaskID? {
        let column = point.column - area.left + origin.column
        let row = point.row - area.top + origin.row
        let box = layout.boxes.first {
            ($0.column..<$0.column + $0.columns).contains(column) && ($0.row..<$0.row + $0.rows).contains(row)
        }
        return area.contains(point) ? box?.task : nil
    }

    /// The task in the next box in a direction: along a line if one leads there, otherwise in the nearest box.
    func task(_ movement: Movement, from selection: TaskID?) -> TaskID? {
        guard let index = selection.flatMap(layout.index) else { return layout.boxes.first?.task }
        let box = layout.boxes[index]
        let target: Int?
        switch movement {
        case .left: target = nearest(to: box, among: layout.wires.filter { $0.right == index }.map(\.left))
        case .right: target = nearest(to: box, among: layout.wires.filter { $0.left == index }.map(\.right))
        case .up, .down:
            let others = layout.boxes.indices.filter { movement == .up ? layout.boxes[$0].row < box.row : layout.boxes[$0].row > box.row }
            let sameLayer = others.filter { layout.boxes[$0].layer == box.layer }
            target = nearest(to: box, among: sameLayer.isEmpty ? others : sameLayer)
        case .first: target = 0
        case .last: target = layout.boxes.count - 1
        case .pageUp, .pageDown: target = nil
        }
        return target.map { layout.boxes[$0].task }
    }

    private func nearest(to box: Box, among indices: [Int]) -> Int? {
        indices.min { distance(box, $0) < distance(box, $1) }
    }

    private func distance(_ box: Box, _ other: Int) -> (Int, Int) {
        let other = layout.boxes[other]
        return (abs(other.row - box.row) + abs(other.column - box.column) / 4, other.row)
    }

    private func firstTask(_ store: TraceStore) -> TaskID? {
        store.rows.first { _ in true }.map { store[$0].id }
    }
}
