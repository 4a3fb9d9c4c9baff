import ArgumentParser
import Foundation
import TaskEvents

/// `hopscope mcp`: answers an agent's questions over standard input and output.
struct McpCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Answers an agent's questions, by the Model Context Protocol on standard input and output.",
        discussion: """
            An agent starts the command and asks why a program hangs, where an error went or which executor is late. Its tools look at \
            processes, recordings and core files, and change nothing; each answer has at most 4 kB. 'hopscope skill' prints in which \
            order an agent uses them. The command ends when the agent closes its input.
            """)

    @Flag(name: .customLong("allow-control"), help: "Offer the tool run_check, by which the agent starts programs on this machine.")
    var allowsControl = false

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    func perform() throws {
        let tools = AgentTools.all(try warnings.settings(), allowsControl: allowsControl, time: clock)
        if isatty(STDIN_FILENO) == 1 {
            StandardError.say("An agent starts this command and writes JSON-RPC to it, one message a line. Ctrl-D ends it.")
        }
        let connection = AgentConnection(input: STDIN_FILENO, output: STDOUT_FILENO)
        try connection.serve(AgentProtocol(tools, version: HopscopeVersion.text))
    }
}
