import TaskEvents
import TerminalCanvas
import TraceStore

/// What keys and mouse do in what lies over a screen: a task's detail, and the help.
extension Model {
    mutating func moveInHelp(_ movement: Movement) {
        let page = HelpScreen.area(self).rows - 2
        if let row = movement.row(from: help?.scroll ?? 0, count: HelpScreen.scrollLimit(self) + 1, page: page) { help?.scroll = row }
    }

    mutating func moveInDetail(_ movement: Movement) {
        guard let shown = detail else { return }
        switch movement {
        case .left, .right:
            let neighbour = store.task(shown.task).flatMap { movement == .left ? $0.firstAntecedent : $0.successors.first { _ in true } }
            guard let neighbour, store.row(of: neighbour) != nil else { return }
            selection = neighbour
            open(neighbour)
            keepTasksSelection()
        case .up, .down, .pageUp, .pageDown, .first, .last:
            scrollDetail(movement)
        }
    }

    mutating func scrollDetail(_ movement: Movement) {
        let area = DetailScreen.listArea(areas.body)
        let limit = max(0, DetailScreen.lines(self, columns: area.columns).count - area.rows)
        if let row = movement.row(from: min(detail?.scroll ?? 0, limit), count: limit + 1, page: area.rows) { detail?.scroll = row }
    }

    mutating func clickDetail(_ point: Point) {
        let area = DetailScreen.listArea(areas.body)
        let lines = DetailScreen.lines(self, columns: area.columns)
        let scroll = min(detail?.scroll ?? 0, max(0, lines.count - area.rows))
        let line = point.row - area.top + scroll
        guard area.contains(point), lines.indices.contains(line), let task = lines[line].task else { return }
        selection = task
        open(task)
        keepTasksSelection()
    }
}
