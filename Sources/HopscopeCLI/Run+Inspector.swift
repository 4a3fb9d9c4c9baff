import Foundation
import Hopscope
import InspectorUI
import TaskEvents
import TraceAnalysis
import TraceStore

extension Run {
    /// Shows the inspector while the program runs on a terminal of its own. What the program has printed follows on the command's terminal
    /// when the inspector is left; the program runs on to its end.
    func runUnderInspector(_ settings: WarningSettings) throws -> EndedProgram {
        let traces = try ProgramTraces()
        do {
            return EndedProgram(command: program, ending: try show(traces, settings), traces: traces)
        } catch {
            traces.remove()
            throw error
        }
    }

    private func show(_ traces: ProgramTraces, _ settings: WarningSettings) throws -> ChildProcess.Ending {
        let screen = try PseudoTerminal()
        let inspector = try TerminalNeed(command: "run", without: "'hopscope run --no-ui' prints a report").open(settings)
        let child: ChildProcess
        do {
            child = try screen.start(program, environment: try traces.environment())
        } catch {
            inspector.close()
            throw error
        }
        let source = ProgramSource(traces, child)
        let name = ListedTrace.name(program[0].split(separator: "/").last.map(String.init) ?? program[0])
        let signal = inspector.show(source, of: name, controls: NoControls("Under the probe a program can only be looked at."))
        source.stop()
        screen.showOutput()
        if let signal { kill(child.pid, signal) }
        let signals = SignalWait(SignalWait.ending + [SIGCHLD])
        var ending = source.ending
        while ending == nil {
            ending = child.ending()
            if ending == nil, let arrival = signals.next(milliseconds: 20), arrival.number != SIGCHLD { kill(child.pid, arrival.number) }
            traces.look()
        }
        screen.close()
        return ending!
    }
}

/// What a program's busiest process tells, from when it has begun to.
private final class ProgramSource: TraceSource {
    private let traces: ProgramTraces
    private let child: ChildProcess
    private var trace: LaneTrace?
    /// How the program ended, once it has.
    private(set) var ending: ChildProcess.Ending?
    /// Rounds since a process was first seen: others may follow, and one of them be busier.
    private var rounds = 0
    private static let patience = 8

    init(_ traces: ProgramTraces, _ child: ChildProcess) {
        self.traces = traces
        self.child = child
    }

    var now: UInt64 { trace?.now ?? 0 }

    func take() -> [TraceBatch] {
        if ending == nil { ending = child.ending() }
        traces.look()
        if trace == nil, let busiest = traces.busiestFirst.first {
            rounds += 1
            if rounds >= Self.patience || ending != nil { trace = LaneTrace(symbolized: busiest.region) }
        }
        return trace?.take() ?? []
    }

    var hasEnded: Bool {
        guard let trace else { return ending != nil && traces.watched.isEmpty }
        return trace.hasEnded
    }

    func stop() {
        if trace?.hasEnded == false { trace?.stop() }
    }
}
