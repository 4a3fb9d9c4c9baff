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
        case .fold:
            fold()
        case .foldAll:
            graph.toggleAll()
            if graph.folds.areUnfolded { notice = "All rows are shown; Z folds siblings that succeeded again." }
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
        if let row = selection.flatMap({ graph.rails.row(of: $0) }) { graph.show(row, height: graphHeight, store) }
    }

    /// Of the siblings that the selected task is one of, or that are folded nearest to it.
    private mutating func fold() {
        let selected = selection.flatMap { graph.rails.siblings(of: $0, in: store) }
        let folds = graph.lines.compactMap { line in
            if case .folded(let fold, _) = line { fold } else { nil }
        }
        if let selected, graph.folds.unfolded.contains(selected) || folds.contains(where: { $0.siblings == selected }) {
            graph.toggle(selected)
            return
        }
        let row = selection.flatMap { graph.rails.row(of: $0) } ?? graph.top
        let nearest = folds.min { abs($0.rows.lowerBound - row) < abs($1.rows.lowerBound - row) }
        if let nearest {
            graph.toggle(nearest.siblings)
        } else if graph.folds.areUnfolded || !graph.folds.unfolded.isEmpty {
            notice = "Select one of the siblings that are to be folded, or press Z for all."
        } else {
            notice = "Nothing is folded here: only long runs of siblings that all succeeded are."
        }
    }

    mutating func clickGraph(_ point: Point) {
        let area = GraphScreen.listArea(areas.body)
        guard area.contains(point), let span = graph.span(atLine: point.row - area.top) else { return }
        if let fold = span.fold {
            graph.toggle(fold.siblings)
            return
        }
        let row = span.rows.lowerBound
        guard row < graph.rails.count else { return }
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
        let selected = selection.flatMap { graph.rails.row(of: $0) }
        if selected == nil, movement.lines(page: graphHeight) != nil {
            select(graphRow: graph.row(0, from: graph.isFollowing ? graph.rails.count - 1 : graph.top, store))
        } else if let selected, let lines = movement.lines(page: graphHeight) {
            select(graphRow: graph.row(lines, from: selected, store))
        } else if movement == .first || movement == .last {
            select(graphRow: movement == .first ? 0 : graph.rails.count - 1)
        }
        if movement == .last { graph.isFollowing = true }
    }

    private mutating func select(graphRow row: Int) {
        selection = graph.rails.task(atRow: row)
        graph.show(row, height: graphHeight, store)
        keepTasksSelection()
    }
}
