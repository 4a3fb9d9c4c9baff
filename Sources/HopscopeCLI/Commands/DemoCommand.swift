import ArgumentParser
import Foundation
import Hopscope
import Scenarios
import TaskEvents
import TraceTransport

/// `hopscope demo`: plays a scenario with the inspector: on the task runtime in this process, or as a program of its own under the probe.
struct DemoCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Plays a scenario, with the inspector on it.",
        discussion: "Without a terminal, or with --no-ui, it plays the scenario to its end and prints a report.")

    @Argument(help: "Which scenario; --list names them all.")
    var scenario = "tour"

    @Flag(help: "Name the scenarios, say what each shows and on which screen to look for it.")
    var list = false

    @Option(help: ArgumentHelp("The directory whose files the demos 'hash', 'guides' and 'tour' read.", valueName: "dir"))
    var path: String?

    @Option(help: ArgumentHelp("How many tasks 'load' makes.", valueName: "n"))
    var tasks = 1000

    @Option(help: ArgumentHelp("How fast it is played: 1 can be followed, 2 is twice as fast.", valueName: "factor"))
    var speed = 1.0

    @Flag(
        name: .customLong("hold"),
        help: "Hold every job before it begins, to let them through one at a time: 'i' in the inspector.")
    var isHeld = false

    @Flag(name: .customLong("no-ui"), help: "Play it without the inspector, and report at the end.")
    var isWithoutInspector = false

    @Option(help: ArgumentHelp("Print a report at the end: text or json.", valueName: "format"))
    var report: ReportFormat?

    @Option(name: .customLong("record"), help: ArgumentHelp("Record it into a file, for 'hopscope replay'.", valueName: "file"))
    var recording: String?

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    func validate() throws {
        let names = Self.all.map(\.name)
        guard names.contains(scenario) else {
            let question = NearestName.question(scenario, among: names)
            throw ValidationError("There is no scenario '\(scenario)'.\(question) 'hopscope demo --list' names them all.")
        }
        guard (0.001...1000).contains(speed) else { throw ValidationError("--speed takes a number from 0.001 to 1000.") }
        guard tasks > 0 else { throw ValidationError("--tasks takes a number above 0.") }
        guard ScenarioList.probed(named: scenario) == nil || !isHeld && report == nil else {
            throw ValidationError("The demo '\(scenario)' is a program under the probe: --hold and --report are for the others.")
        }
    }

    func perform() throws {
        if list { return try printList() }
        try checkPath()
        if let scene = ScenarioList.probed(named: scenario) { return try play(scene) }
        guard let scenario = ScenarioList.named(scenario) else { return }
        if let recording { try RegionRecording.check(recording) }
        try ThreadNeed.check(ThreadNeed.scenario)
        if isWithoutInspector || !PickerCommand.hasTerminal {
            guard !isHeld || Self.isPublished else {
                throw ValidationError(
                    "Without the inspector held jobs never run. Start it with HOPSCOPE=1: then 'hopscope attach' can let them run.")
            }
            try playWithoutInspector(scenario)
        } else {
            try playWithInspector(scenario)
        }
    }

    /// Runs a scene as `hopscope run` does any program.
    private func play(_ scene: any Scenario) throws {
        let command = try SceneCommand.command(for: scene, speed: speed, path: path)
        do {
            var run = try RunCommand.parse(["--"] + command)
            (run.record, run.isHeadless, run.warnings) = (recording, isWithoutInspector, warnings)
            try run.perform()
        } catch {
            SceneCommand.removeLink(command[0])
            throw error
        }
    }

    /// The stage that the command's options describe.
    func stage(
        _ scratch: ScratchSpace, scenes: (@Sendable (String) -> Void)? = nil, _ output: @escaping @Sendable (String) -> Void
    ) -> Stage {
        Stage(speed: speed, path: path, tasks: tasks, scratch: scratch, time: clock, scenes: scenes, output: output)
    }

    /// Starts a scenario. Holds all its jobs if the user asked for that.
    func play(_ scenario: any Scenario, in run: ScenarioRun, on stage: Stage) {
        if isHeld { _ = ProcessControls().send(.hold(.all)) }
        run.play(scenario, on: stage)
    }

    private static var isPublished: Bool {
        ProcessInfo.processInfo.environment["HOPSCOPE"].map { !$0.isEmpty && $0 != "0" } ?? false
    }

    /// The width of the terminal that standard output goes to; nil if it is not a terminal.
    private static var terminalColumns: Int? {
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    private static let all = ScenarioList.probed + ScenarioList.all

    private func printList() throws {
        let width = Self.all.map(\.name.count).max() ?? 0
        // On a terminal, lines break between words. In a file or a pipe, each scenario has one line.
        let room = Self.terminalColumns.map { max(20, $0 - width - 2) } ?? .max
        let output = try ResultOutput(nil)
        for scenario in Self.all {
            var lines = [""]
            for word in scenario.summary.split(separator: " ") {
                let last = lines[lines.count - 1]
                if last.isEmpty {
                    lines[lines.count - 1] = String(word)
                } else if last.count + 1 + word.count > room {
                    lines.append(String(word))
                } else {
                    lines[lines.count - 1] += " \(word)"
                }
            }
            for (number, line) in lines.enumerated() {
                let name = (number == 0 ? scenario.name : "").padding(toLength: width, withPad: " ", startingAt: 0)
                output.write("\(name)  \(line)\n")
            }
        }
        try output.finish()
    }

    private func checkPath() throws {
        guard let path else { return }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw UserError("There is no directory '\(path)'.", .noSuchFile)
        }
        guard isDirectory.boolValue else {
            throw UserError("'\(path)' is not a directory; --path takes one.", .noSuchFile)
        }
    }
}
