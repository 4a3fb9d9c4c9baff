import ArgumentParser

/// `hopscope skill`: prints how an agent uses Hopscope.
struct SkillCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "skill",
        abstract: "Prints a skill for agents: which command or tool to use in which order.",
        discussion: """
            The skill is Markdown with a name and a description at its head, as agents read skills from a folder. It needs no server: an \
            agent with a shell follows its commands, one with 'hopscope mcp' its tools.
            """)

    @Option(name: .shortAndLong, help: ArgumentHelp("A file to write to, instead of standard output.", valueName: "file"))
    var output: String?

    func perform() throws {
        let output = try ResultOutput(output)
        output.write(AgentSkill.text)
        try output.finish()
    }
}
