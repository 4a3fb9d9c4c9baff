import ArgumentParser
import CodeSymbols
import Glibc
import Hopscope
import InspectorUI
import RemoteTasks
import TraceAnalysis

/// `hopscope attach`: shows the inspector on another running process, with or without the probe, or on the trace that an ended process
/// left.
struct AttachCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Shows the inspector on a running process, or on the trace of an ended one.",
        discussion: """
            The process never waits for the inspector, and goes on when you leave it. The inspector shows the events that the process's \
            lanes still hold, and all later ones; the header tells from which moment on nothing is missing. The inspector looks at a Swift \
            process that publishes nothing from outside, twice a second: tasks that begin and end between two looks are not seen. The \
            header says so.
            """)

    @OptionGroup var trace: TraceArgument

    @Flag(help: "Loads the probe into a running process that was started without it.")
    var inject = false

    @Flag(help: "Loads the probe without asking.")
    var yes = false

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    func validate() throws {
        if yes, !inject { throw ValidationError("--yes answers the question of --inject, which is missing.") }
    }

    func perform() throws {
        let settings = try warnings.settings()
        var named = trace
        if named.trace == nil, PickerCommand.hasTerminal, TraceArgument.hasSeveral {
            guard let picked = try PickerCommand.pick(.traces) else { return }
            named.trace = picked.last
        }
        if let name = named.trace, access(name, F_OK) != 0, let pid = try ProcessName.pid(of: name) { named.trace = String(pid) }
        if inject { return try attachByInjection(named, settings) }
        if let pid = named.unpublishedProcess { return try attachBySnapshots(pid, settings) }
        let trace = try named.open()
        let without = "'hopscope report' prints what there is, 'hopscope record' keeps it"
        let inspector = try TerminalNeed(command: "attach", without: without, time: clock).open(settings)
        try trace.show(on: inspector)
    }

    private func attachBySnapshots(_ pid: Int32, _ settings: WarningSettings) throws {
        let lanes: SnapshotLanes
        do throws(SnapshotProblem) {
            lanes = try SnapshotLanes(ofProcess: pid, time: clock)
        } catch {
            // A process without Swift's runtime can publish too, so the error explains how.
            throw error.kind == .notSwift ? TraceArgument.publishesNothing(pid) : UserError(error)
        }
        let without = "'hopscope ps \(pid)' prints what there is"
        let inspector = try TerminalNeed(command: "attach", without: without, time: clock).open(settings)
        let source = try LaneTrace(SymbolizedLanes(lanes), route: { lanes.words }, until: { lanes.hasEnded })
        source.outside = ProcessLook(ofProcess: pid)
        let signal = inspector.show(
            source, of: lanes.program, controls: NoControls("A process that was not prepared can only be looked at."))
        lanes.stop()
        if let signal { die(by: signal) }
    }
}
