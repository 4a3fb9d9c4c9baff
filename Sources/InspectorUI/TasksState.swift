import TaskEvents
import TraceAnalysis

/// The user's choices on the Tasks screen, and the list they lead to.
package struct TasksState {
    package internal(set) var sort = TaskSort()
    package internal(set) var grouping = TaskGrouping.none
    package internal(set) var columns = TaskColumns()
    package internal(set) var foldedGroups = FoldedGroups()
    /// The filter as it is typed; the list follows every character.
    package internal(set) var filterText = "" {
        didSet { if filterText != oldValue { understandFilter() } }
    }
    /// The latest of what was typed that could be understood: what the list shows.
    package private(set) var query = TaskQuery()
    /// What of the filter cannot be understood.
    package private(set) var problem: QueryError?
    /// Whether keys go into the filter.
    package internal(set) var isTyping = false
    var order = TaskOrder()
    var window = ListWindow()
    /// The list's rows as they were put together last.
    package private(set) var rows = TaskListRows()
    /// The row that the selected task is in; nil for none, and for one that the list does not have.
    package internal(set) var selectedRow: Int?

    /// The tasks in their order.
    package var list: [TaskID] { order.tasks }

    var wish: TaskOrderWish { TaskOrderWish(sort: sort, grouping: grouping, query: query) }

    /// Puts the rows together anew, after there is another order.
    mutating func takeOrder() {
        rows = TaskListRows(order.tasks, order.groups, folded: foldedGroups)
    }

    /// Folds a group, or unfolds it.
    mutating func toggle(_ group: TaskGroup.Name) {
        foldedGroups.toggle(group)
        rows.fold(foldedGroups)
    }

    /// Folds all groups, those that come as well, or unfolds them if all are.
    mutating func toggleAllGroups() {
        foldedGroups = rows.areAllFolded ? FoldedGroups() : .all
        rows.fold(foldedGroups)
    }

    var showsFilter: Bool { isTyping || !filterText.isEmpty }

    private mutating func understandFilter() {
        do throws(QueryError) {
            query = try TaskQuery(filterText)
            problem = nil
        } catch {
            problem = error
        }
    }
}
