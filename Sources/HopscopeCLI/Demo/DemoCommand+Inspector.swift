import Foundation
import Hopscope
import InspectorUI
import Scenarios
import TaskEvents
import TraceAnalysis
import TraceReport
import TraceStore
import TraceTransport

/// Plays a scenario with the inspector.
extension DemoCommand {
    /// Plays the scenario, shows the inspector until the user quits it, and ends the process. Call it on the main thread, which serves the
    /// main queue; the inspector runs on its own thread. If the inspector cannot draw on the terminal, the command says so and plays
    /// without it.
    func playWithInspector(_ scenario: any Scenario) throws -> Never {
        let settings = try warnings.settings()
        let user = UserSettings()
        let chosen = try user.read()
        let terminal: TerminalInspector
        do {
            terminal = try TerminalInspector(settings: chosen, warnings: settings, time: clock, save: user.write)
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
        let shown = ShownDemo(run)
        if !scenario.tellsScenes { shown.begin(scene: "\(scenario.name): \(scenario.summary)") }
        play(scenario, in: run, on: stage(scratch, scenes: { shown.begin(scene: $0) }, shown.say))
        // One thread at a time owns the terminal: this thread up to here, the inspector's thread from here on.
        nonisolated(unsafe) let screen = terminal
        Thread.detachNewThread { [report] in
            let history = TraceHistory()
            let signal = screen.show(LiveSource(run), of: run.program, controls: ProcessControls(), in: history, host: shown)
            let store = history.latest
            scratch.remove()
            let recorded = Result { try run.finish(into: store) }
            if let signal { die(by: signal) }
            store.end = .exit
            let status = report.map { format in
                let warnings = WarningEngine(settings: settings).list(in: store, isOver: true)
                return Self.tell(Report(of: store, program: run.program, warnings: warnings), format)
            }
            exit(Self.status(status ?? 0, recorded))
        }
        dispatchMain()
    }
}

/// The events of a scenario in this process, until the scenario has ended and no more events arrive.
private final class LiveSource: TraceSource {
    private let run: ScenarioRun
    private var lastCame: UInt64 = 0
    private(set) var isOver = false

    /// Nanoseconds without events that end the trace. The last jobs return shortly after the last tasks end.
    private static let silence: UInt64 = 200_000_000

    init(_ run: ScenarioRun) {
        self.run = run
    }

    var now: UInt64 { run.bus.now }

    var holdsJobs: Bool { run.bus.holdsJobs }

    func take() -> [TraceBatch] {
        let batches = run.collector.take()
        if !batches.isEmpty { lastCame = now }
        return batches
    }

    var hasEnded: Bool {
        // After a fault is injected into a scenario's last task, held jobs can remain.
        guard !isOver, run.hasEnded, !ProcessControls.areJobsHeld, now - lastCame > Self.silence else { return isOver }
        run.stop()
        isOver = true
        return true
    }
}
