import ArgumentParser
import TraceExport

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
        let trace = try trace.open()
        var output = try ResultOutput(output)
        let reading = try trace.read(warnings.settings())
        try Report(of: reading.store, program: trace.program, warnings: reading.warnings).write(format, to: &output)
        try output.finish()
    }
}
