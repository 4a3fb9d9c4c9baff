import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// All tasks, one line each. Drawing looks only at the visible lines.
struct TasksScreen: FilteredScreen {
    static let name = ScreenName("Tasks", shortcut: "1")
    static let modes = [list, filterMode("Filter")]
    static let facets = Facets<Self>(
        type: { $0.typeFilter($1, &$2) }, detail: .init(task: { $0.taskAtCursor($1) }), commands: columnCommands,
        arrive: { tasks, place, shared in
            switch place {
            case .task(let task): shared.follow(task)
            case .site(let site): tasks.setFilter("site:\"\(site)\"", &shared)
            case .error, .finding, .executor, .longestJob: return false
            }
            return true
        }, hide: { $0.keepFilter() },
        receive: { tasks, message, _ in
            if case .named = message { tasks.order.restart() }
            return []
        })

    var foldedGroups = FoldedGroups()
    /// The list follows every character of the filter.
    var filter = FilterLine()
    /// The latest valid query of the typed filter, which the list shows.
    private(set) var query = TaskQuery()
    /// The error in the typed filter.
    private(set) var problem: QueryError?
    private(set) var order = TaskOrder()
    /// Whether the list is a tree, and that tree. It is empty while the list is too long for one.
    private(set) var isTree = false
    private(set) var tree = TaskTree()
    /// The current rows of the list.
    private(set) var rows = TaskListRows()
    /// The figures of the groups by name or place.
    private(set) var figures = GroupFigures()
    private(set) var pane = ListPane()
    /// The task of the selected row.
    private var selectedTask: TaskID?
    private(set) var heading = Rect.empty
    /// The width of the longest name that has been in sight.
    private var widestName = 0

    /// The tasks in their order.
    var list: [TaskID] { order.tasks }
    var selectedRow: Int? { pane.selected }
    var filterText: String { filter.text }
    var mode: KeyMode { Self.modes[filter.isTyping ? 1 : 0] }

    /// The row under the cursor: the selected one, or the first in sight while none of the list is selected.
    var cursorRow: Int? { pane.selected ?? rows.selectable(from: pane.rows.lowerBound, step: 1) }

    private func taskAtCursor(_ shared: SharedState) -> TaskID? { cursorRow.map { rows.task(at: $0) } ?? shared.selection }

    mutating func layOut(in body: Rect, _ shared: SharedState) {
        let (heading, below) = body.split(top: 1)
        if heading.columns != self.heading.columns { widestName = 0 }
        self.heading = heading
        pane.layOut(in: filter.layOut(below: below), count: rows.count)
    }

    mutating func refresh(_ shared: inout SharedState, at time: UInt64) {
        let settings = shared.settings
        let grouping = grouping(shared)
        let wish = TaskOrderWish(sort: settings.sort, grouping: grouping, query: query)
        if order.advance(shared.store, wish, warnings: shared.findings.index, at: time) {
            let hasTree = isTree && order.tasks.count <= TaskTree.limit
            tree = hasTree ? TaskTree(order.tasks, in: shared.store, isASCII: shared.isASCII) : TaskTree()
            // The heading of the program's own tasks says nothing if there are no others.
            let groups = grouping == .library && order.groups.map(\.name) == [.library("")] ? TaskGroups() : order.groups
            if grouping == .library { foldedGroups.foldNewLibraries(groups) }
            rows = TaskListRows(hasTree ? tree.tasks : order.tasks, groups, folded: foldedGroups)
            keepSelection(shared)
        } else {
            adoptSelection(shared)
        }
        shared.cursor = pane.selected == nil ? taskAtCursor(shared) : nil
        widen(shared)
        figures.refresh(rows, shared.store, grouping)
    }

    /// The groups of the list. A filter finds the tasks of libraries too.
    private func grouping(_ shared: SharedState) -> TaskGrouping {
        if isTree { return .none }
        let grouping = shared.settings.grouping
        return grouping == .none && query.isEmpty && shared.store.entries.hasLibraries ? .library : grouping
    }

    func isSettled(_ shared: SharedState) -> Bool { !order.isBusy && order.eventCount == shared.store.eventCount && figures.isSettled }

    mutating func show(_ shared: inout SharedState) {
        keepSelection(shared)
        if let row = pane.selected { pane.show(row) }
    }

    private mutating func keepFilter() {
        filter.keep()
        understandFilter()
    }

    mutating func restart(_ shared: SharedState) {
        order.restart()
        figures = GroupFigures()
    }

    /// Commands that show and hide columns.
    @Sendable private static func columnCommands(_ shared: SharedState) -> [PaletteEntry] {
        TaskColumn.allCases.filter { $0 != .name }.map { column in
            let verb = shared.settings.columns.hidden.contains(column) ? "show" : "hide"
            let command = Command.shared { shared in
                if shared.settings.columns.hidden.remove(column) == nil { shared.settings.columns.hidden.insert(column) }
                return [.save(shared.settings)]
            }
            return PaletteEntry(
                text: "\(verb) the column \(column == .sign ? "of warning signs" : column.row.title) in Tasks", command: command)
        }
    }

    /// The columns in sight.
    func columns(_ shared: SharedState) -> [(column: TaskColumn, range: Range<Int>)] {
        shared.settings.columns.fit(
            heading.columns, names: widestName, empty: showsWaits(shared) ? nil : .waits,
            hasDetail: shared.size.columns >= FrameAreas.wideColumns)
    }

    /// Columns stay as wide as they have been, so that they do not move with every scrolled row.
    private mutating func widen(_ shared: SharedState) {
        let words = TaskWords(shared.store)
        for row in pane.rows where row < rows.count {
            guard case .task(let id) = rows[row], let task = shared.store.task(id) else { continue }
            widestName = max(widestName, CharacterWidth.of(tree.leads[id] ?? "") + CharacterWidth.of(words.name(of: task)))
        }
    }

    /// False if the program has ended and no task in sight waits for anything.
    private func showsWaits(_ shared: SharedState) -> Bool {
        if shared.program.hasEnded, shared.store.openCount == 0 { return false }
        guard shared.isOver, shared.settings.sort.column != .waits else { return true }
        return pane.rows.contains { row in
            guard row < rows.count, case .task(let id) = rows[row], let task = shared.store.task(id) else { return false }
            return WaitsFor(task, in: shared.store) != nil
        }
    }

    // MARK: The selection

    /// Finds the selected task in a new order.
    private mutating func keepSelection(_ shared: SharedState) {
        selectedTask = shared.selection
        pane.keep(shared.selection.flatMap { rows.row(of: $0) }, count: rows.count)
    }

    /// Takes over a selection that another screen made.
    private mutating func adoptSelection(_ shared: SharedState) {
        if selectedTask != shared.selection { keepSelection(shared) }
    }

    private mutating func select(_ row: Int, _ shared: inout SharedState) {
        shared.selection = rows.task(at: row)
        selectedTask = shared.selection
        // A group's heading is shown together with its first task.
        if row > 0, case .heading = rows[row - 1] { pane.show(row - 1) }
        pane.select(row)
    }

    // MARK: Keys and mouse

    mutating func move(_ movement: Movement, _ shared: inout SharedState) -> Answer {
        adoptSelection(shared)
        let (start, visible) = (cursorRow, pane.rows)
        guard let target = pane.target(of: movement, from: start) else { return .ignored }
        let isUpwards = target < start ?? 0 || movement == .last
        if let row = rows.selectable(from: target, step: isUpwards ? -1 : 1) { select(row, &shared) }
        return .changed(if: cursorRow != start || pane.rows != visible)
    }

    mutating func open(_ shared: inout SharedState) -> Answer {
        adoptSelection(shared)
        guard let row = cursorRow else { return .ignored }
        if toggleGroup(at: row, shared) { return .changed }
        select(row, &shared)
        return .detail(of: rows.task(at: row))
    }

    /// Drops the selection. If none can be seen, drops the filter.
    mutating func leave(_ shared: inout SharedState) -> Answer {
        let (row, task) = (cursorRow, taskAtCursor(shared))
        shared.selection = nil
        adoptSelection(shared)
        return .changed(if: row != cursorRow || task != taskAtCursor(shared) || dropFilter(&shared))
    }

    mutating func click(_ point: Point, _ shared: inout SharedState) -> Answer {
        adoptSelection(shared)
        if heading.contains(point) {
            guard let column = columns(shared).first(where: { $0.range.contains(point.column - heading.left) })?.column else {
                return .ignored
            }
            sort(by: column, &shared)
            return .changed
        }
        guard let row = pane.row(at: point) else { return .ignored }
        if toggleGroup(at: row, shared) { return .changed }
        let isSelected = row == pane.selected
        select(row, &shared)
        return isSelected ? .detail(of: rows.task(at: row)) : .changed
    }

    mutating func scroll(by rows: Int, _ shared: inout SharedState) { pane.scroll(by: rows) }

    // MARK: Order and groups

    /// Sorts by the next or the previous visible column.
    mutating func sort(by step: Int, _ shared: inout SharedState) {
        let columns = columns(shared).map(\.column)
        guard !columns.isEmpty else {
            shared.notice = "No column is shown to sort by."
            return
        }
        let here = columns.firstIndex(of: shared.settings.sort.column) ?? 0
        sort(by: columns[(here + step + columns.count) % columns.count], &shared)
    }

    /// Sorts by another column, or reverses the order of the same column.
    private mutating func sort(by column: TaskColumn, _ shared: inout SharedState) {
        let sort = shared.settings.sort
        shared.settings.sort = TaskSort(
            column: column, isReversed: column == sort.column ? !sort.isReversed : column.row.startsReversed)
        order.restart()
    }

    mutating func reverse(_ shared: inout SharedState) {
        shared.settings.sort.isReversed.toggle()
        order.restart()
    }

    /// Shows the tasks as a tree, or as a list again.
    mutating func toggleTree(_ shared: inout SharedState) -> Answer {
        isTree.toggle()
        widestName = 0
        order.restart()
        let isLong = order.matchCount > TaskTree.limit
        shared.notice =
            !isTree
            ? "Tasks are a list."
            : isLong
                ? "A tree shows at most \(CountText.text(TaskTree.limit)) tasks: / filters them."
                : "Tasks stand below those that made them."
        return .changed
    }

    mutating func group(_ shared: inout SharedState) {
        isTree = false
        shared.settings.grouping = shared.settings.grouping.next
        foldedGroups = FoldedGroups()
        order.restart()
        shared.notice = "Tasks are grouped by \(shared.settings.grouping.rawValue)."
        if shared.settings.grouping == .none { shared.notice = "Tasks are not grouped." }
    }

    /// Moves the column of the current sort.
    func moveColumn(by step: Int, _ shared: inout SharedState) {
        let before = columns(shared).map(\.column)
        if !shared.settings.columns.move(shared.settings.sort.column, by: step) {
            shared.notice = "The sorted column is at the end already."
        } else if columns(shared).map(\.column) == before {
            shared.notice = "The sorted column has moved past a column that is not shown."
        }
    }

    mutating func fold(all: Bool, _ shared: inout SharedState) {
        guard !rows.groups.isEmpty else {
            shared.notice = "There are no groups to fold: o puts the tasks into groups."
            return
        }
        if all {
            foldedGroups.fold(all: !rows.areAllFolded)
        } else {
            guard let row = cursorRow, let group = rows.group(at: row) else {
                shared.notice = "There is no task to fold."
                return
            }
            foldedGroups.toggle(group.name)
        }
        rows.fold(foldedGroups)
        keepSelection(shared)
    }

    /// Folds or unfolds the group of a heading. False if the row is a task's.
    private mutating func toggleGroup(at row: Int, _ shared: SharedState) -> Bool {
        guard case .heading(let group, _) = rows[row] else { return false }
        foldedGroups.toggle(group.name)
        rows.fold(foldedGroups)
        keepSelection(shared)
        return true
    }

    // MARK: The filter

    func completed(_ shared: SharedState) -> String? {
        TaskQuery.completions(of: filterText, in: shared.store, limit: 1).first.map { $0.applied(to: filterText).text }
    }

    mutating func filterChanged(_ shared: inout SharedState) {
        understandFilter()
    }

    private mutating func understandFilter() {
        do throws(QueryError) {
            let query = try TaskQuery(filterText, isTyping: filter.isTyping)
            problem = nil
            guard query != self.query else { return }
            self.query = query
            order.restart()
        } catch {
            problem = error
        }
    }
}
