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
            let columns = tasks.columns.fit(areas.body.columns).map(\.column)
            let here = columns.firstIndex(of: tasks.sort.column) ?? 0
            let step = command == .sortNext ? 1 : columns.count - 1
            sort(by: columns[(here + step) % columns.count])
        case .reverse:
            tasks.sort.isReversed.toggle()
            tasks.order.restart()
        case .columnLeft, .columnRight:
            if !tasks.columns.move(tasks.sort.column, by: command == .columnLeft ? -1 : 1) {
                notice = "The column that is sorted by is at the end already."
            }
        case .group:
            tasks.grouping = tasks.grouping.next
            tasks.foldedGroups = FoldedGroups()
            tasks.order.restart()
        case .foldGroup, .foldAllGroups:
            foldGroups(all: command == .foldAllGroups)
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
        guard let row = tasks.selectedRow ?? tasks.rows.selectable(from: tasks.window.top, step: 1) else { return }
        if case .heading(let group, _) = tasks.rows[row] {
            tasks.toggle(group.name)
            keepTasksSelection()
            return
        }
        select(row)
        open(tasks.rows.task(at: row))
    }

    /// Drops the selection, then the filter.
    mutating func leaveTasks() {
        guard selection != nil else { return perform(.clear) }
        selection = nil
        tasks.selectedRow = nil
    }

    mutating func arrangeTasks(at time: UInt64) {
        if tasks.order.advance(store, tasks.wish, warnings: warnings.index, at: time) {
            tasks.takeOrder()
            keepTasksSelection()
        }
    }

    mutating func type(_ text: String) {
        tasks.filterText += text.printable
        tasks.order.restart()
    }

    mutating func scrollTasks(by rows: Int) {
        tasks.window.setTop(tasks.window.top + rows, count: tasks.rows.count, height: listHeight)
    }

    /// Finds the selected task again in a new order. It stays in its line of the screen if it was in sight.
    mutating func keepTasksSelection() {
        let line = tasks.selectedRow.map { $0 - tasks.window.top }
        tasks.selectedRow = selection.flatMap { tasks.rows.row(of: $0) }
        if let row = tasks.selectedRow, let line, (0..<listHeight).contains(line) {
            tasks.window.setTop(row - line, count: tasks.rows.count, height: listHeight)
        } else {
            tasks.window.setTop(tasks.window.top, count: tasks.rows.count, height: listHeight)
        }
    }

    mutating func showSelectedTask() {
        keepTasksSelection()
        if let row = tasks.selectedRow { show(row) }
    }

    mutating func clickTasks(_ point: Point) {
        let areas = TasksScreen.areas(areas.body, showsFilter: tasks.showsFilter)
        if areas.heading.contains(point) {
            let clicked = tasks.columns.fit(areas.heading.columns).first {
                $0.place.contains(point.column - areas.heading.left)
            }
            if let column = clicked?.column { sort(by: column) }
        } else if areas.list.contains(point) {
            let row = tasks.window.top + point.row - areas.list.top
            guard row < tasks.rows.count else { return }
            if case .heading(let group, _) = tasks.rows[row] {
                tasks.toggle(group.name)
                keepTasksSelection()
                return
            }
            if row == tasks.selectedRow { open(tasks.rows.task(at: row)) }
            select(row)
        }
    }

    mutating func moveInTasks(_ movement: Movement) {
        let start = tasks.selectedRow ?? (movement == .down ? tasks.window.top - 1 : tasks.window.top)
        guard tasks.rows.count > 0, let target = movement.row(from: start, count: tasks.rows.count, page: listHeight) else { return }
        if let row = tasks.rows.selectable(from: target, step: target < start || movement == .last ? -1 : 1) { select(row) }
    }

    private mutating func select(_ row: Int) {
        selection = tasks.rows.task(at: row)
        tasks.selectedRow = row
        // A group's heading is seen with its first task.
        if row > 0, case .heading = tasks.rows[row - 1] { show(row - 1) }
        show(row)
    }

    private mutating func show(_ row: Int) {
        tasks.window.show(row, count: tasks.rows.count, height: listHeight)
    }

    private mutating func foldGroups(all: Bool) {
        guard tasks.grouping != .none else {
            notice = "There are no groups to fold: o puts the tasks into groups."
            return
        }
        if all {
            tasks.toggleAllGroups()
        } else {
            let row = tasks.selectedRow ?? tasks.window.top
            guard row < tasks.rows.count, let group = tasks.rows.group(at: row) else { return }
            tasks.toggle(group.name)
        }
        keepTasksSelection()
    }

    /// By another column, or by the same one the other way round.
    private mutating func sort(by column: TaskColumn) {
        tasks.sort = TaskSort(
            column: column,
            isReversed: column == tasks.sort.column ? !tasks.sort.isReversed : column.row.startsReversed)
        tasks.order.restart()
    }
}
