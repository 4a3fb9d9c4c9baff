import ArgumentParser
import Foundation
import RemoteTasks
import TaskEvents
import TraceAnalysis
import TraceReport
import TraceStore

/// `hopscope run`: runs an unmodified Swift program under the probe.
struct RunCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs an unmodified Swift program, and shows what its tasks do.",
        usage: "hopscope run [--record <file>] [--no-ui] [--timeout <time>] [--] <program> [<arguments> ...]",
        discussion: """
            While the inspector is shown, the program has a terminal of its own; otherwise it has the command's input and output. The \
            program gets the signals that are sent to 'hopscope run', and its exit status becomes the command's. If the program starts \
            other Swift programs, as 'swift test' does, the busiest one outside of the toolchain is shown, and the others are named.
            """)

    @Option(help: ArgumentHelp("The file to record into.", valueName: "file"))
    var record: String?

    @Option(
        help: ArgumentHelp("Show no inspector, end the program after this time, such as 60s, and report why it hung.", valueName: "time"))
    var timeout: Deadline?

    @Flag(name: .customLong("no-ui"), help: "Show no inspector; print a report when the program has ended.")
    var isHeadless = false

    @OptionGroup var profile: ProfileOption

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    @OptionGroup var named: ProgramArgument

    var program: [String] { named.command }

    func validate() throws {
        try named.checkName()
    }

    func perform() throws {
        let settings = try warnings.settings()
        if let record { try RegionRecording.check(record) }
        let showsInspector = !isHeadless && timeout == nil && PickerCommand.hasTerminal
        let ended =
            showsInspector
            ? try runUnderInspector(settings)
            : try EndedProgram.run(program, recordingTo: record, profiling: profile.rates, deadline: timeout, time: clock)
        ended.conclude { processes in
            if let hang = ended.hang {
                var output = try ResultOutput(nil)
                return try ended.conclude(hang, failOn: .all, keepsRecordings: record == nil, .text, to: &output) { trace, findings in
                    let store = trace.read(time: clock).store
                    return CheckResult(of: store, program: trace.program, rules: [HangReport.rule], findings: findings, failOn: .all)
                }
            }
            guard let busiest = processes.first else {
                guard ended.traces.problem == nil else { throw ended.nothingSeen }
                ended.nothingSeen.say()
                return nil
            }
            ended.traces.listOthers(as: showsInspector ? nil : "shown")
            if !showsInspector, let trace = ended.traces.open(busiest) { try report(trace, settings) }
            return nil
        }
    }

    private func report(_ trace: OpenedTrace, _ settings: WarningSettings) throws {
        let reading = trace.read(settings, time: clock)
        var output = try ResultOutput(nil)
        Report(of: reading.store, program: trace.program, warnings: reading.warnings, steps: reading.profiledSteps).write(
            .text, to: &output)
        try output.finish()
    }
}
