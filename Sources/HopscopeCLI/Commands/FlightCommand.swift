import ArgumentParser
import Foundation
import Hopscope
import TaskEvents
import TraceAnalysis

/// `hopscope flight`: keeps the last seconds of this host's processes, and writes a recording when something happens.
struct FlightCommand: TraceCommand {
    static let configuration = CommandConfiguration(
        commandName: "flight",
        abstract: "Keeps the last seconds of what processes do, and writes a recording when something happens.",
        discussion: """
            It watches every process that publishes (HOPSCOPE=flight, HOPSCOPE=1, Inspector.publish()) until SIGINT or SIGTERM, and writes \
            PROGRAM-PID-TIME-TRIGGER.hop when a task or chain takes longer than a limit, a rule finds something, a task matches the query, \
            a process ends without exit, or SIGUSR1 comes to this command. The folder is HOPSCOPE_FLIGHT_DIR, or else hopscope in \
            $XDG_STATE_HOME or ~/.local/state. A program that imports the module Hopscope and was started with HOPSCOPE=flight has a \
            recorder of its own; this command then writes only its crash. Docs/Flight.md tells more.
            """)

    @Option(help: ArgumentHelp("The time before the trigger that a recording has.", valueName: "time"))
    var last = "30s"

    @Option(help: ArgumentHelp("A task that takes longer is a trigger.", valueName: "time"))
    var slowTask: String?

    @Option(help: ArgumentHelp("A chain that takes longer is a trigger.", valueName: "time"))
    var slowChain: String?

    @Option(
        name: .customLong("on"),
        help: ArgumentHelp(
            "A rule whose findings are triggers, or none; can be given again (default: \(FlightRecorder.defaultRules.joined(separator: " "))).",
            valueName: "rule"))
    var rules: [String] = []

    @Option(help: ArgumentHelp("A task that matches is a trigger: 'name:checkout state:faulted'.", valueName: "query"))
    var query = ""

    @Option(help: ArgumentHelp("The most recordings of a process in an hour.", valueName: "count"))
    var perHour = 12

    @OptionGroup(title: "Warnings") var warnings: WarningOptions

    func validate() throws {
        _ = try plan(WarningSettings())
    }

    func perform() throws {
        let signals = SignalWait(SignalWait.ending + [SIGUSR1])
        let fleet = FlightFleet(try plan(warnings.settings()), time: clock)
        fleet.look()
        StandardError.say("It keeps the last \(last) of every process that publishes.")
        while true {
            fleet.look()
            guard let signal = signals.next(milliseconds: 250) else { continue }
            guard signal.number == SIGUSR1 else { break }
            fleet.request(FlightCause("signal", .none, "SIGUSR1 asked for a recording."))
        }
        fleet.stop()
    }

    private func plan(_ settings: WarningSettings) throws -> FlightPlan {
        var plan = FlightPlan()
        plan.settings = settings
        plan.last = try TimeOption.nanoseconds(last, of: "--last")
        plan.slowTask = try slowTask.map { try TimeOption.nanoseconds($0, of: "--slow-task") }
        plan.slowChain = try slowChain.map { try TimeOption.nanoseconds($0, of: "--slow-chain") }
        if let unknown = rules.first(where: { $0 != "none" && WarningRules.named($0) == nil }) {
            throw ValidationError("There is no rule '\(unknown)'; 'hopscope check --help' lists them.")
        }
        if !rules.isEmpty { plan.rules = Set(rules).subtracting(["none"]) }
        do {
            plan.query = try TaskQuery(query)
        } catch {
            throw ValidationError("--query: \(error)")
        }
        guard perHour > 0 else { throw ValidationError("--per-hour \(perHour) is no number of recordings; it is at least 1.") }
        plan.mostPerHour = perHour
        return plan
    }
}
