import ArgumentParser
import TraceExport
import TraceStore

/// `hopscope report`: what happened, in words or as JSON.
struct ReportCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Prints what happened in a trace.",
        discussion: "Of a process that runs, it is what has happened until now.")

    @OptionGroup var trace: TraceArgument

    @Option(help: ArgumentHelp("text or json.", valueName: "format"))
    var format = ReportFormat.text

    @Option(name: .shortAndLong, help: ArgumentHelp("A file to write to, instead of standard output.", valueName: "file"))
    var output: String?

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    func perform() throws {
        let settings = try warnings.settings()
        let trace = try trace.open()
        var output = try ResultOutput(output)
        let timeline = trace.read()
        let report = Report(of: timeline.store, program: trace.program, warnings: trace.warnings(of: timeline, settings))
        try report.write(format, to: &output)
        try output.finish()
    }
}
