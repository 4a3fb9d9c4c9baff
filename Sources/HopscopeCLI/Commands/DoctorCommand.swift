import ArgumentParser
import TraceAnalysis

/// `hopscope doctor`: prints the facts that Hopscope can see on this machine and in one program, and advice for the missing ones.
struct DoctorCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says what Hopscope sees on this machine and of a program, and how to see the rest.",
        usage: "hopscope doctor [--trial] [-- <program>]",
        discussion: """
            The program does not run: the loader loads it with the probe, which answers and ends the process before the program begins. A \
            line that begins with an arrow tells what to do. The exit status is always 0. If no test has run on the toolchain's version of \
            Swift, a small program is built and tried, which takes some seconds.
            """)

    @Flag(help: "Tries the toolchain's runtime with a small program, whatever its version.") var trial = false

    @OptionGroup var named: ProgramArgument

    func validate() throws {
        if !named.command.isEmpty || CommandLine.arguments.dropFirst().contains("--") { try named.checkName() }
    }

    func perform() throws {
        var examinations: [any Examination] = [ToolchainExamination(), ProbeExamination(), RightsExamination(), TerminalExamination()]
        if let trial = TrialExamination(isWanted: trial) { examinations.append(trial) }
        if let program = named.command.first { examinations.append(ProgramExamination(program)) }
        let output = try ResultOutput(nil)
        for (index, examination) in examinations.enumerated() {
            if index > 0 { output.write("\n") }
            output.write("\(PrintableText.text(examination.title))\n")
            for line in examination.lines() { output.write(line.text(isASCII: !StandardOutput.showsUnicode)) }
        }
        try output.finish()
    }
}
