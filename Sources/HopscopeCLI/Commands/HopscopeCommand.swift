import ArgumentParser
import Glibc

/// The root command. Each subcommand has its own file.
@main
struct HopscopeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hopscope",
        abstract: "Shows what the tasks of an asynchronous Swift program do: chains, queues, errors and hops.",
        discussion: """
            Alone on a terminal it lists the running Swift programs, the recordings in this folder and the demos, to pick one. \
            Begin with 'hopscope demo': it shows the inspector on example programs, and '?' lists its keys.
            'hopscope run -- PROGRAM' shows what the tasks of any Swift program do. A trace is a recording, the number of a process that \
            publishes its events ('hopscope list' names those), or the file that an ended process left. \
            If there is only one, you need not name it.
            """,
        version: HopscopeVersion.text,
        subcommands: [
            DemoCommand.self, RunCommand.self, ListCommand.self, ProcessesCommand.self, AttachCommand.self, RecordCommand.self,
            FlightCommand.self, ReplayCommand.self, ReportCommand.self, CheckCommand.self, ExplainCommand.self, ExploreCommand.self,
            ExportCommand.self, RemarkCommand.self, ShipCommand.self, ScreenCommand.self, DoctorCommand.self, McpCommand.self,
            SkillCommand.self, SceneCommand.self,
        ])

    static func main() {
        ProcessSetup.prepare()
        do {
            let arguments = try pickedArguments() ?? Array(CommandLine.arguments.dropFirst())
            try TypedArguments.checkCommand(arguments, among: configuration.subcommands)
            let words = TypedArguments.withTerminator(arguments) { helpMessage(for: $0, columns: 1000) }
            var command = try parseAsRoot(TypedArguments.withFrequency(words))
            try command.run()
        } catch let error as UserError {
            error.say()
            Glibc.exit(error.status.rawValue)
        } catch {
            Glibc.exit(finish(error))
        }
    }

    /// The arguments of what the user picks, if the command stands alone on a terminal. Nil for the command's own arguments.
    private static func pickedArguments() throws -> [String]? {
        guard CommandLine.arguments.count <= 1, PickerCommand.hasTerminal else { return nil }
        guard let picked = try PickerCommand.pick() else { Glibc.exit(0) }
        return picked
    }

    /// Prints an error's message, which can also be the help or the version. Returns the exit status.
    private static func finish(_ error: any Error) -> Int32 {
        let status = exitCode(for: error)
        let message = fullMessage(for: error)
        guard !message.isEmpty else { return status.rawValue }
        guard status.isSuccess else {
            StandardError.write("\(message)\n")
            return status.rawValue
        }
        do throws(UserError) {
            let output = try ResultOutput(nil)
            output.write("\(message)\n")
            try output.finish()
            return status.rawValue
        } catch {
            error.say()
            return error.status.rawValue
        }
    }
}
