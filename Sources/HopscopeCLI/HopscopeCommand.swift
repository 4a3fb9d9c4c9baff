import ArgumentParser

/// The command: one subcommand a file.
@main
struct HopscopeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hopscope",
        abstract: "Shows what the tasks of an asynchronous Swift program do: chains, queues, errors and hops.",
        version: "0.1.0",
        subcommands: [
            Demo.self, Run.self, List.self, Attach.self, Record.self, Replay.self, ReportCommand.self, Check.self, Export.self,
            ScreenCommand.self,
        ])
}
