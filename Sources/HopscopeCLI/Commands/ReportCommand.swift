import ArgumentParser
import TraceAnalysis
import TraceReport

/// `hopscope report`: prints a report of a trace, as text or as JSON.
struct ReportCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Prints what happened in a trace.",
        usage: """
            hopscope report [<trace>] [--format <format>] [-o <file>]
            hopscope report [--format <format>] [-o <file>] -- <program> [<arguments> ...]
            """,
        discussion: """
            The report of a running process tells what has happened until now. A program runs to its end under the probe, with the \
            terminal, the input and the output, and its exit status becomes the command's. If it starts several processes, the busiest is \
            reported.
            """)

    @OptionGroup var trace: TraceArgument

    @OptionGroup var program: ProgramArgument

    @Option(help: ArgumentHelp("text or json.", valueName: "format"))
    var format = ReportFormat.text

    @Option(name: .shortAndLong, help: ArgumentHelp("A file to write to, instead of standard output.", valueName: "file"))
    var output: String?

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    func validate() throws {
        try program.check(against: trace)
    }

    func perform() throws {
        let settings = try warnings.settings()
        guard program.command.isEmpty else { try reportProgram(settings) }
        let trace = try trace.open()
        var output = try ResultOutput(output)
        try report(trace, settings, to: &output)
    }

    private func reportProgram(_ settings: WarningSettings) throws -> Never {
        var output = try ResultOutput(output)
        let ended = try EndedProgram.run(program.command, time: clock)
        ended.conclude { processes in
            guard let busiest = processes.first else { throw ended.nothingSeen }
            ended.traces.listOthers(as: "reported")
            if let trace = ended.traces.open(busiest) { try report(trace, settings, to: &output) }
            return nil
        }
    }

    private func report(_ trace: OpenedTrace, _ settings: WarningSettings, to output: inout ResultOutput) throws {
        let reading = trace.read(settings, time: clock)
        let report = reading.announcing("Making the report") {
            Report(of: reading.store, program: trace.program, warnings: reading.warnings, steps: reading.profiledSteps)
        }
        report.write(format, to: &output)
        try output.finish()
    }
}
