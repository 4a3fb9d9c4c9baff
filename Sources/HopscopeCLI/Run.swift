import ArgumentParser
import Foundation
import TaskEvents
import TraceAnalysis
import TraceExport
import TraceStore

/// `hopscope run`: a Swift program as it is, under the probe.
struct Run: TraceCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs a Swift program, which needs no change for it, and shows what its tasks do.",
        usage: "hopscope run [--record <file>] [--no-ui] -- <program> [<arguments> ...]",
        discussion: """
            The program has a terminal of its own while the inspector is shown, and the command's input and output where it is not. Signals \
            that are sent to 'hopscope run' are passed on to it, and its exit status is passed on by it. Where it starts other Swift programs, \
            as 'swift test' does, the busiest is shown and the others are named.
            """)

    @Option(help: ArgumentHelp("A recording to keep of it.", valueName: "file"))
    var record: String?

    @Flag(name: .customLong("no-ui"), help: "Print a report at its end, and show no inspector.")
    var isHeadless = false

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The program to start, and its arguments.", valueName: "program"))
    var program: [String] = []

    func validate() throws {
        guard !program.isEmpty else { throw ValidationError("Name the program after '--': hopscope run -- ./program.") }
    }

    func perform() throws {
        let settings = try warnings.settings()
        if let record { try RegionRecording.check(record) }
        let traces = try ProgramTraces()
        defer { traces.remove() }
        let environment = try ProbeLibrary.environment().merging(["HOPSCOPE": traces.folder]) { _, new in new }
        let hasTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        let ending =
            isHeadless || !hasTerminal
            ? try runHeadless(traces, environment) : try runUnderInspector(traces, environment, settings)
        do {
            try traces.finish()
            try finish(traces, settings)
        } catch {
            let error = UserError(any: error)
            error.say()
            // What the program itself has to say comes first.
            if case .exited(0) = ending {
                traces.remove()
                Foundation.exit(error.status.rawValue)
            }
        }
        traces.remove()
        ending.pass()
    }

    private func runHeadless(_ traces: ProgramTraces, _ environment: [String: String]) throws -> ChildProcess.Ending {
        let signals = SignalWait(SignalWait.ending + [SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH, SIGCHLD])
        let child = try ChildProcess(program, environment: environment, mask: signals.maskBefore)
        while true {
            if let ending = child.ending() { return ending }
            try traces.look()
            if let arrival = signals.next(milliseconds: 20), arrival.isSent, arrival.number != SIGCHLD { kill(child.pid, arrival.number) }
        }
    }

    /// Keeps the recording and prints the report, of the busiest process.
    private func finish(_ traces: ProgramTraces, _ settings: WarningSettings) throws {
        guard let busiest = traces.busiest else {
            StandardError.say(ProgramFile(program[0])?.sentence(program[0]) ?? "'\(program[0])' has made no Swift tasks.")
            return
        }
        traces.listOthers(than: busiest)
        if let record {
            let output = try ResultOutput(record)
            try output.copy(busiest.recording)
            try output.finish()
        }
        guard isHeadless || isatty(STDOUT_FILENO) == 0 || isatty(STDIN_FILENO) == 0 else { return }
        let trace = try OpenedTrace(path: busiest.recording)
        var output = try ResultOutput(nil)
        let reading = trace.read(settings)
        try Report(of: reading.store, program: trace.program, warnings: reading.warnings).write(.text, to: &output)
        try output.finish()
    }
}
