import CursesTerminal
import Foundation
import InspectorUI
import Scenarios
import TaskEvents
import TraceStore

/// Playing a scenario with the inspector on it.
extension Demo {
    /// Plays the scenario, shows it until the user leaves, and ends the process. The calling thread, which is the main one, serves the main
    /// queue; the inspector has a thread of its own. Where the terminal is none that can be drawn on, it says so and goes on without.
    func playWithInspector(_ scenario: any Scenario) throws -> Never {
        let terminal: CursesTerminal
        do {
            terminal = try CursesTerminal()
        } catch {
            FileHandle.standardError.write(Data("hopscope: \(error) Going on without the inspector.\n".utf8))
            try playWithoutInspector(scenario)
        }
        let run: ScenarioRun
        do {
            run = try ScenarioRun(program: scenario.name)
        } catch {
            terminal.close()
            throw error
        }
        let scratch = ScratchSpace()
        run.play(scenario, on: stage(scratch) { _ in })
        // The terminal belongs to one thread at a time: to this one until here, to that one from here on.
        nonisolated(unsafe) let screen = terminal
        Thread.detachNewThread { [report] in
            let store = TraceStore()
            let clock = ContinuousClock()
            let start = clock.now
            let inspector = InspectorUI.Inspector(
                terminal: screen, source: LiveSource(run), store: store, program: run.program,
                clock: { UInt64((clock.now - start) / .nanoseconds(1)) })
            inspector.run()
            screen.close()
            scratch.remove()
            if let signal = inspector.endingSignal { die(by: signal) }
            guard let report else { exit(0) }
            run.finish(into: store)
            exit(Self.printReport(report, of: store, program: run.program))
        }
        dispatchMain()
    }
}

/// Ends the process as the signal would have without the inspector, so that a shell sees the cause.
private func die(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    kill(getpid(), number)
    exit(128 + number)
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
        guard !isOver, run.hasEnded, now - lastCame > Self.silence else { return isOver }
        run.stop()
        isOver = true
        return true
    }
}
