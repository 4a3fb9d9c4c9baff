import TaskEvents
import TerminalCanvas
import TraceLayout

/// What keys and mouse do on the Graph screen.
extension Model {
    private var graphHeight: Int { GraphScreen.listArea(areas.body).rows }

    mutating func performInGraph(_ command: Command) {
        switch command {
        case .up, .down, .pageUp, .pageDown, .first:
            moveInGraph(command)
        case .last:
            moveInGraph(command)
            graph.isFollowing = true
        case .follow:
            graph.isFollowing = true
            graph.pan = 0
        case .left, .right:
            graph.pan = max(0, min(graph.pan + (command == .left ? -8 : 8), GraphScreen.panLimit))
        case .open:
            if let task = selection ?? graph.rows.first?.task {
                selection = task
                open(task)
            }
        case .back:
            selection = nil
            tasks.selectedRow = nil
            graph.pan = 0
        case .nextScreen, .previousScreen, .screen, .filter, .sortNext, .sortPrevious, .reverse, .help, .quit, .repaint, .accept, .clear,
            .erase:
            break
        }
    }

    mutating func clickGraph(_ point: Point) {
        let area = GraphScreen.listArea(areas.body)
        let row = graph.top + point.row - area.top
        guard area.contains(point), row < graph.rails.count else { return }
        let task = graph.rails.task(atRow: row)
        if task == selection { open(task) }
        select(graphRow: row)
    }

    private mutating func moveInGraph(_ command: Command) {
        guard graph.rails.count > 0 else { return }
        // Without a selection one begins where the eye is: at the newest while following, else at the top.
        let atRest = graph.isFollowing ? graph.rails.count : graph.top - (command == .down ? 1 : 0)
        let start = selection.flatMap { graph.rails.row(of: $0) } ?? atRest
        if let row = command.row(from: start, count: graph.rails.count, page: graphHeight) { select(graphRow: row) }
    }

    private mutating func select(graphRow row: Int) {
        selection = graph.rails.task(atRow: row)
        graph.show(row, height: graphHeight)
        keepTasksSelection()
    }
}
