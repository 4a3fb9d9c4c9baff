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

extension Model {
    /// Another process of the program that is shown, with what the user has chosen until now and what the program has printed.
    init(showing process: ProgramProcess, insteadOf other: Model) {
        self.init(
            history: TraceHistory(), program: process.name, size: other.size, glyphs: other.glyphs, settings: other.warnings.settings)
        settings = other.settings
        screen = other.screen
        processes = other.processes
        shownProcess = process.pid
        isTouched = other.isTouched
        output = other.output
        output?.text.forgetTimes()
    }

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
