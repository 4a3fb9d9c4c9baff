import TerminalCanvas

/// The settings that a user chooses once for all programs.
package struct InspectorSettings: Hashable, Sendable {
    package var theme = Theme.automatic
    package var sort = TaskSort()
    package var grouping = TaskGrouping.none
    package var columns = TaskColumns()

    package init() {}
}
