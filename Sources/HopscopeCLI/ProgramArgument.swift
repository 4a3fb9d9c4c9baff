import ArgumentParser

/// A program to be run, after `--`, by a command that can also read a trace.
struct ProgramArgument: ParsableArguments {
    @Argument(parsing: .postTerminator, help: ArgumentHelp("A program to run under the probe, and its arguments.", valueName: "program"))
    var command: [String] = []

    /// Either a trace or a program.
    func check(against trace: TraceArgument) throws {
        guard command.isEmpty || trace.trace == nil else {
            throw ValidationError("Name either a trace, or a program after '--'.")
        }
    }
}
