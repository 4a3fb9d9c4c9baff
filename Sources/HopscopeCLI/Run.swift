import ArgumentParser
import Foundation
import RemoteTasks
import TaskEvents
import TraceAnalysis
import TraceExport
import TraceReport
import TraceStore
import TraceTransport

/// `hopscope run`: runs an unmodified Swift program under the probe.
struct Run: TraceCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs a Swift program, which needs no change for it, and shows what its tasks do.",
        usage: "hopscope run [--record <file>] [--no-ui] [--timeout <time>] -- <program> [<arguments> ...]",
        discussion: """
            The program has a terminal of its own while the inspector is shown, and the command's input and output where it is not. Signals \
            that are sent to 'hopscope run' are passed on to it, and its exit status is passed on by it. Where it starts other Swift programs, \
            as 'swift test' does, the busiest is shown and the others are named.
            """)

    @Option(help: ArgumentHelp("A recording to keep of it.", valueName: "file"))
    var record: String?

    @Option(
        help: ArgumentHelp("Show no inspector, end the program after this time, such as 60s, and tell what held it up.", valueName: "time"))
    var timeout: Deadline?

    @Flag(name: .customLong("no-ui"), help: "Print a report at its end, and show no inspector.")
    var isHeadless = false

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    @OptionGroup var named: ProgramArgument

    var program: [String] { named.command }

    func validate() throws {
        try named.checkName()
    }

    func perform() throws {
        let settings = try warnings.settings()
        if let record { try RegionRecording.check(record) }
        let hasTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        let showsInspector = !isHeadless && timeout == nil && hasTerminal
        let ended = showsInspector ? try runUnderInspector(settings) : try EndedProgram.run(program, recordingTo: record, deadline: timeout)
        ended.conclude { processes in
            if let hang = ended.hang { return try concludeHang(hang, ended, processes) }
            guard let busiest = processes.first else {
                ended.nothingSeen.say()
                return nil
            }
            ended.traces.listOthers()
            if !showsInspector, let trace = ended.traces.open(busiest) { try report(trace, settings) }
            return nil
        }
    }

    private func concludeHang(_ hang: [HungProcess], _ ended: EndedProgram, _ processes: [ProgramTraces.Watched]) throws -> ExitStatus? {
        var output = try ResultOutput(nil)
        for process in hang {
            let result = CheckResult(of: TraceStore(), program: process.program, rules: [.hang], findings: process.findings, failOn: .all)
            result.write(.text, to: &output)
        }
        try output.finish()
        if record == nil {
            ended.traces.keep(processes.filter { watched in hang.contains { $0.pid == watched.region.pid } }, because: "hang")
        }
        return .checkFailed
    }

    private func report(_ trace: OpenedTrace, _ settings: WarningSettings) throws {
        let reading = trace.read(settings)
        var output = try ResultOutput(nil)
        Report(of: reading.store, program: trace.program, warnings: reading.warnings).write(.text, to: &output)
        try output.finish()
    }
}
