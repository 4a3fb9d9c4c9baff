import TerminalCanvas
import TraceStore

/// What a user chooses once and keeps, whatever the program.
package struct InspectorSettings: Hashable, Sendable {
    package var theme = Theme.automatic
    package var sort = TaskSort()
    package var grouping = TaskGrouping.none
    package var columns = TaskColumns()

    package init() {}
}
