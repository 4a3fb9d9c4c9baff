import TaskEvents
import TraceAnalysis

/// The user's choices on the Tasks screen, and the list they lead to.
package struct TasksState {
    package internal(set) var sort = TaskSort()
    package internal(set) var hiddenColumns: Set<TaskColumn> = []
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
    /// Where the selected task stands in the list; nil for none, and for one that the list does not have.
    package internal(set) var selectedRow: Int?

    /// The tasks in their order.
    package var list: [TaskID] { order.tasks }

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
