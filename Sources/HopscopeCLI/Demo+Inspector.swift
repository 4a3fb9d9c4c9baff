import Foundation
import Hopscope
import InspectorUI
import Scenarios
import TaskEvents
import TraceAnalysis
import TraceExport
import TraceFile
import TraceReport
import TraceStore

/// Playing a scenario with the inspector on it.
extension Demo {
    /// Plays the scenario, shows it until the user leaves, and ends the process. The calling thread, which is the main one, serves the main
    /// queue; the inspector has a thread of its own. Where the terminal is none that can be drawn on, it says so and goes on without.
    func playWithInspector(_ scenario: any Scenario) throws -> Never {
        let settings = try warnings.settings()
        let user = UserSettings()
        let chosen = try user.read()
        let terminal: TerminalInspector
        do {
            terminal = try TerminalInspector(settings: chosen, warnings: settings, save: user.write)
        } catch {
            StandardError.say("\(error) Going on without the inspector.")
            try playWithoutInspector(scenario)
        }
        let run: ScenarioRun
        do {
            run = try ScenarioRun(program: scenario.name, recordingTo: recording)
        } catch {
            terminal.close()
            throw error
        }
        let scratch = ScratchSpace()
        play(scenario, in: run, on: stage(scratch) { _ in })
        // The terminal belongs to one thread at a time: to this one until here, to that one from here on.
        nonisolated(unsafe) let screen = terminal
        Thread.detachNewThread { [report] in
            let history = TraceHistory()
            let signal = screen.show(LiveSource(run), of: run.program, controls: ProcessControls(), in: history)
            let store = history.latest
            scratch.remove()
            let recorded = Result { try run.finish(into: store) }
            if let signal { die(by: signal) }
            store.isOver = true
            let status = report.map { format in
                let warnings = WarningEngine(settings: settings).list(in: store, isOver: true)
                return Self.tell(Report(of: store, program: run.program, warnings: warnings), format)
            }
            exit(Self.status(status ?? 0, recorded))
        }
        dispatchMain()
    }
}

/// The events of a scenario in this process, until it has ended and nothing comes any more.
private final class LiveSource: TraceSource {
    private let run: ScenarioRun
    private var lastCame: UInt64 = 0
    private(set) var isOver = false

    /// Nanoseconds of silence after a scenario's end: the last jobs come back a little later than the last tasks end.
    private static let silence: UInt64 = 200_000_000

    init(_ run: ScenarioRun) {
        self.run = run
    }

    var now: UInt64 { run.bus.now }

    func take() -> [TraceBatch] {
        let batches = run.collector.take()
        if !batches.isEmpty { lastCame = now }
        return batches
    }

    var hasEnded: Bool {
        // A scenario whose last task was made to fail may have jobs left that somebody holds.
        guard !isOver, run.hasEnded, !ProcessControls.areJobsHeld, now - lastCame > Self.silence else { return isOver }
        run.stop()
        isOver = true
        return true
    }
}
