import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// What keys and mouse do on the Tasks screen.
extension Model {
    private var listHeight: Int { TasksScreen.areas(areas.body, showsFilter: tasks.showsFilter).list.rows }

    mutating func perform(_ command: TasksCommand) {
        switch command {
        case .filter:
            tasks.isTyping = true
        case .sortNext, .sortPrevious:
            let columns = TaskColumn.fit(areas.body.columns, without: tasks.hiddenColumns).map(\.column)
            let here = columns.firstIndex(of: tasks.sort.column) ?? 0
            let step = command == .sortNext ? 1 : columns.count - 1
            sort(by: columns[(here + step) % columns.count])
        case .reverse:
            tasks.sort.isReversed.toggle()
            tasks.order.restart()
        }
    }

    mutating func perform(_ command: FilterCommand) {
        switch command {
        case .accept:
            tasks.isTyping = false
        case .clear:
            tasks.isTyping = false
            guard !tasks.filterText.isEmpty else { return }
            tasks.filterText = ""
            tasks.order.restart()
        case .complete:
            guard let completion = TaskQuery.completions(of: tasks.filterText, in: store, limit: 1).first else { return }
            tasks.filterText = completion.applied(to: tasks.filterText).text
            tasks.order.restart()
        case .erase:
            guard !tasks.filterText.isEmpty else { return }
            tasks.filterText.removeLast()
            tasks.order.restart()
        }
    }

    mutating func openInTasks() {
        guard let row = tasks.selectedRow ?? (tasks.list.isEmpty ? nil : tasks.window.top) else { return }
        select(taskAt: row)
        open(tasks.list[row])
    }

    /// Drops the selection, then the filter.
    mutating func leaveTasks() {
        guard selection != nil else { return perform(.clear) }
        selection = nil
        tasks.selectedRow = nil
    }

    mutating func arrangeTasks(at time: UInt64) {
        if tasks.order.advance(store, sort: tasks.sort, query: tasks.query, warnings: warnings.index, at: time) { keepTasksSelection() }
    }

    mutating func type(_ text: String) {
        tasks.filterText += text.printable
        tasks.order.restart()
    }

    mutating func scrollTasks(by rows: Int) {
        tasks.window.setTop(tasks.window.top + rows, count: tasks.list.count, height: listHeight)
    }

    /// Finds the selected task again in a new order. It stays in its line of the screen if it was in sight.
    mutating func keepTasksSelection() {
        let list = tasks.list
        let line = tasks.selectedRow.map { $0 - tasks.window.top }
        tasks.selectedRow = selection.flatMap { selected in list.firstIndex(of: selected) }
        if let row = tasks.selectedRow, let line, (0..<listHeight).contains(line) {
            tasks.window.setTop(row - line, count: list.count, height: listHeight)
        } else {
            tasks.window.setTop(tasks.window.top, count: list.count, height: listHeight)
        }
    }

    mutating func showSelectedTask() {
        keepTasksSelection()
        if let row = tasks.selectedRow { tasks.window.show(row, count: tasks.list.count, height: listHeight) }
    }

    mutating func clickTasks(_ point: Point) {
        let areas = TasksScreen.areas(areas.body, showsFilter: tasks.showsFilter)
        if areas.heading.contains(point) {
            let clicked = TaskColumn.fit(areas.heading.columns, without: tasks.hiddenColumns).first {
                $0.place.contains(point.column - areas.heading.left)
            }
            if let column = clicked?.column { sort(by: column) }
        } else if areas.list.contains(point) {
            let row = tasks.window.top + point.row - areas.list.top
            guard row < tasks.list.count else { return }
            if row == tasks.selectedRow { open(tasks.list[row]) }
            select(taskAt: row)
        }
    }

    mutating func moveInTasks(_ movement: Movement) {
        guard !tasks.list.isEmpty else { return }
        let start = tasks.selectedRow ?? (movement == .down ? tasks.window.top - 1 : tasks.window.top)
        if let row = movement.row(from: start, count: tasks.list.count, page: listHeight) { select(taskAt: row) }
    }

    private mutating func select(taskAt row: Int) {
        selection = tasks.list[row]
        tasks.selectedRow = row
        tasks.window.show(row, count: tasks.list.count, height: listHeight)
    }

    /// By another column, or by the same one the other way round.
    private mutating func sort(by column: TaskColumn) {
        tasks.sort = TaskSort(
            column: column,
            isReversed: column == tasks.sort.column ? !tasks.sort.isReversed : TaskSort.startsReversed(column))
        tasks.order.restart()
    }
}
