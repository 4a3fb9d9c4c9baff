import ArgumentParser

/// `hopscope replay`: shows the inspector on a recording.
struct ReplayCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Shows a recording in the inspector, where you can step forwards and back.",
        discussion: """
            Space pauses at an event. ',' and '.' step back and forth by event, '[' ']' by fault, '{' '}' by hop, and '<' '>' by the events \
            of the selected task's chain. A recording that is still being written grows while it is shown. A running process is shown as \
            by 'hopscope attach'.
            """)

    @OptionGroup var trace: TraceArgument

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    func perform() throws {
        let settings = try warnings.settings()
        let trace = try trace.open()
        let without = "'hopscope report' prints what it says, 'hopscope screen' a screen of it"
        let inspector = try TerminalNeed(command: "replay", without: without, time: clock).open(settings)
        try trace.show(on: inspector)
    }
}
