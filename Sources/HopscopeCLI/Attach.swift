import ArgumentParser

/// `hopscope attach`: shows the inspector on another running process, or on the trace that an ended process left.
struct Attach: TraceCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the inspector on a process that publishes, or on what an ended one left.",
        discussion: """
            The process never waits for it, and goes on when it is left. It shows what the process's lanes still hold and what comes from \
            then on; from when on nothing is missing stands in the header.
            """)

    @OptionGroup var trace: TraceArgument

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    func perform() throws {
        let settings = try warnings.settings()
        let trace = try trace.open()
        let inspector = try TerminalNeed(command: "attach", without: "'hopscope report' prints what there is, 'hopscope record' keeps it")
            .open(settings)
        trace.show(on: inspector)
    }
}
