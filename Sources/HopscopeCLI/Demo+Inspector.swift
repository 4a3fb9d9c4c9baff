import Foundation
import Hopscope
import InspectorUI
import Scenarios
import TaskEvents
import TraceAnalysis
import TraceExport
import TraceStore

/// Playing a scenario with the inspector on it.
extension Demo {
    /// Plays the scenario, shows it until the user leaves, and ends the process. The calling thread, which is the main one, serves the main
    /// queue; the inspector has a thread of its own. Where the terminal is none that can be drawn on, it says so and goes on without.
    func playWithInspector(_ scenario: any Scenario) throws -> Never {
        let settings = try warnings.settings()
        let terminal: TerminalInspector
        do {
            terminal = try UserSettings().openInspector(settings)
        } catch {
            StandardError.say("\(error) Going on without the inspector.")
            try playWithoutInspector(scenario)
        }
        let run: ScenarioRun
        do {
            run = try ScenarioRun(program: scenario.name, recordingTo: instead == nil ? recording : nil)
        } catch {
            terminal.close()
            throw error
        }
        let scratch = ScratchSpace()
        play(scenario, in: run, on: stage(scratch) { _ in })
        // The terminal belongs to one thread at a time: to this one until here, to that one from here on.
        nonisolated(unsafe) let screen = terminal
        Thread.detachNewThread { [report] in
            let timeline = TraceTimeline()
            let demos = ScenarioList.all.map { DemoChoice(name: $0.name, summary: $0.summary) }
            let signal = screen.show(LiveSource(run), of: run.program, controls: ProcessControls(), in: timeline, demos: demos)
            let store = timeline.latest
            scratch.remove()
            let recorded = Result { try run.finish(into: store) }
            if let signal { die(by: signal) }
            if let demo = screen.chosenDemo, case .success = recorded { Self.play(instead: demo) }
            let status = report.map { format in
                let warnings = WarningEngine(settings: settings).list(in: store, isOver: true)
                return Self.tell(Report(of: store, program: run.program, warnings: warnings), format)
            }
            exit(Self.status(status ?? 0, recorded))
        }
        dispatchMain()
    }
}

extension Demo {
    /// Becomes a process that plays another demo with the same options: so nothing is left of this one, not what hangs in it, nor what is
    /// held, nor a trace that the two would share. It records nothing: a recording is of what was asked for.
    private static func play(instead demo: String) -> Never {
        var arguments = CommandLine.arguments
        if let index = arguments.lastIndex(of: insteadOption) { arguments.removeSubrange(index..<min(index + 2, arguments.count)) }
        arguments += [insteadOption, demo]
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        execv("/proc/self/exe", arguments.map { strdup($0) } + [nil])
        UserError("'\(demo)' could not be played: \(String(cString: strerror(errno))).", .ownFault).say()
        exit(ExitStatus.ownFault.rawValue)
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
