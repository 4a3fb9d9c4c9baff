import TerminalCanvas

/// What a user chooses once and keeps, whatever the program.
package struct InspectorSettings: Hashable, Sendable {
    package var theme = Theme.automatic
    package var sort = TaskSort()
    /// Columns of the task list that are not shown.
    package var hiddenColumns: Set<TaskColumn> = []

    package init() {}
}

extension Model {
    package var settings: InspectorSettings {
        get {
            var settings = InspectorSettings()
            settings.theme = theme
            settings.sort = tasks.sort
            settings.hiddenColumns = tasks.hiddenColumns
            return settings
        }
        set {
            theme = newValue.theme
            tasks.sort = newValue.sort
            tasks.hiddenColumns = newValue.hiddenColumns
            tasks.order.restart()
        }
    }
}
