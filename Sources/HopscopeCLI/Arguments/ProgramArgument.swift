import ArgumentParser

/// A program to run under the probe, given after `--`.
struct ProgramArgument: ParsableArguments {
    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("A program to run under the probe, and its arguments.", valueName: "program"),
        completion: .file())
    var command: [String] = []

    /// Validates the arguments of a command that takes either a trace or a program.
    func check(against trace: TraceArgument) throws {
        guard command.isEmpty || trace.trace == nil else {
            throw ValidationError("Name either a trace, or a program after '--'.")
        }
        // A lone `--` is usually an empty shell variable, so it is an error and does not select a trace.
        if !command.isEmpty || CommandLine.arguments.dropFirst().contains("--") { try checkName() }
    }

    /// Validates the arguments of a command that takes a program.
    func checkName() throws {
        guard let name = command.first else {
            throw ValidationError("No program is named after '--'; a shell variable there may be empty.")
        }
        guard !name.isEmpty else { throw ValidationError("The name of the program after '--' is empty.") }
    }
}
