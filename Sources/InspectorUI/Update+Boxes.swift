import TaskEvents
import TerminalCanvas
import TraceLayout
import TraceStore

/// What keys and mouse do on the Graph screen while it shows boxes.
extension Model {
    private var boxesSize: Size { BoxesScreen.pictureArea(areas.body).size }

    mutating func arrangeBoxes(at time: UInt64) {
        graph.boxes.arrange(store, selection: selection, size: boxesSize, at: time)
    }

    /// To the next box in that direction: along a line where one leads there, else to the nearest box.
    mutating func moveInBoxes(_ movement: Movement) {
        let layout = graph.boxes.layout
        guard !layout.boxes.isEmpty else { return }
        guard let index = selection.flatMap(layout.index) else { return selectBox(0) }
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
        case .pageUp, .pageDown:
            graph.boxes.pan(columns: 0, rows: movement == .pageUp ? -boxesSize.rows / 2 : boxesSize.rows / 2, size: boxesSize)
            target = nil
        }
        if let target { selectBox(target) }
    }

    mutating func zoomBoxes(by step: Int) {
        graph.boxes.zoom = max(0, min(graph.boxes.zoom + step, BoxesState.widths.count - 1))
    }

    mutating func panBoxes(columns: Int, rows: Int) {
        graph.boxes.pan(columns: columns * boxesSize.columns / 4, rows: rows * boxesSize.rows / 4, size: boxesSize)
    }

    mutating func showSelectedBox() {
        if let selection { graph.boxes.show(selection, size: boxesSize) }
    }

    mutating func clickBoxes(_ point: Point) {
        let area = BoxesScreen.pictureArea(areas.body)
        let column = point.column - area.left + graph.boxes.origin.column
        let row = point.row - area.top + graph.boxes.origin.row
        let index = graph.boxes.layout.boxes.firstIndex {
            ($0.column..<$0.column + $0.columns).contains(column) && ($0.row..<$0.row + $0.rows).contains(row)
        }
        guard let index, area.contains(point) else { return }
        if graph.boxes.layout.boxes[index].task == selection { open(graph.boxes.layout.boxes[index].task) }
        selectBox(index)
    }

    private func nearest(to box: Box, among indices: [Int]) -> Int? {
        indices.min { distance(box, $0) < distance(box, $1) }
    }

    private func distance(_ box: Box, _ other: Int) -> (Int, Int) {
        let other = graph.boxes.layout.boxes[other]
        return (abs(other.row - box.row) + abs(other.column - box.column) / 4, other.row)
    }

    private mutating func selectBox(_ index: Int) {
        follow(graph.boxes.layout.boxes[index].task)
        showSelectedBox()
    }
}
