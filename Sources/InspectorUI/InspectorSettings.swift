import TerminalCanvas

/// What a user chooses once and keeps, whatever the program.
package struct InspectorSettings: Hashable, Sendable {
    package var theme = Theme.automatic
    package var sort = TaskSort()
    package var grouping = TaskGrouping.none
    package var columns = TaskColumns()

    package init() {}
}

extension Model {
    package var settings: InspectorSettings {
        get {
            var settings = InspectorSettings()
            settings.theme = theme
            settings.sort = tasks.sort
            settings.grouping = tasks.grouping
            settings.columns = tasks.columns
            return settings
        }
        set {
            theme = newValue.theme
            tasks.sort = newValue.sort
            tasks.grouping = newValue.grouping
            tasks.columns = newValue.columns
            tasks.order.restart()
        }
    }
}
