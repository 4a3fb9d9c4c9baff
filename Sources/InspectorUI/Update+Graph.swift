import TaskEvents
import TerminalCanvas
import TraceLayout

/// What keys and mouse do on the Graph screen.
extension Model {
    private var graphHeight: Int { GraphScreen.listArea(areas.body).rows }

    mutating func perform(_ command: GraphCommand) {
        switch command {
        case .follow:
            graph.isFollowing = true
            graph.pan = 0
        case .face:
            graph.showsBoxes.toggle()
            showSelectedRow()
        case .zoomIn: zoomBoxes(by: 1)
        case .zoomOut: zoomBoxes(by: -1)
        case .panLeft: panBoxes(columns: -1, rows: 0)
        case .panRight: panBoxes(columns: 1, rows: 0)
        case .panUp: panBoxes(columns: 0, rows: -1)
        case .panDown: panBoxes(columns: 0, rows: 1)
        }
    }

    mutating func openInGraph() {
        guard let task = selection ?? graph.rows.first?.task else { return }
        selection = task
        open(task)
    }

    mutating func leaveGraph() {
        selection = nil
        tasks.selectedRow = nil
        graph.pan = 0
    }

    mutating func showSelectedRow() {
        if graph.showsBoxes { showSelectedBox() }
        if let row = selection.flatMap({ graph.rails.row(of: $0) }) { graph.show(row, height: graphHeight) }
    }

    mutating func clickGraph(_ point: Point) {
        let area = GraphScreen.listArea(areas.body)
        let row = graph.top + point.row - area.top
        guard area.contains(point), row < graph.rails.count else { return }
        let task = graph.rails.task(atRow: row)
        if task == selection { open(task) }
        select(graphRow: row)
    }

    mutating func moveInGraph(_ movement: Movement) {
        if movement == .left || movement == .right {
            graph.pan = max(0, min(graph.pan + (movement == .left ? -8 : 8), GraphScreen.panLimit))
        }
        guard graph.rails.count > 0 else { return }
        // Without a selection one begins where the eye is: at the newest while following, else at the top.
        let atRest = graph.isFollowing ? graph.rails.count : graph.top - (movement == .down ? 1 : 0)
        let start = selection.flatMap { graph.rails.row(of: $0) } ?? atRest
        if let row = movement.row(from: start, count: graph.rails.count, page: graphHeight) { select(graphRow: row) }
        if movement == .last { graph.isFollowing = true }
    }

    private mutating func select(graphRow row: Int) {
        selection = graph.rails.task(atRow: row)
        graph.show(row, height: graphHeight)
        keepTasksSelection()
    }
}
