import Foundation
import Hopscope
import InspectorUI
import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceTransport

extension RunCommand {
    /// Shows the inspector while the program runs on its own terminal. When the user quits the inspector, the program's output so far
    /// appears on the command's terminal, which belongs to the program from then until its end.
    func runUnderInspector(_ settings: WarningSettings) throws -> EndedProgram {
        let traces = try ProgramTraces(recordingTo: record, profiling: profile.rates, time: clock)
        do {
            return EndedProgram(command: program, ending: try show(traces, settings), traces: traces)
        } catch {
            traces.remove()
            throw error
        }
    }

    private func show(_ traces: ProgramTraces, _ settings: WarningSettings) throws -> ChildProcess.Ending {
        // Blocks the signals before any thread starts. New threads inherit the mask, so that only this thread receives the signals.
        let signals = SignalWait(SignalWait.passedOn)
        let terminal = try PseudoTerminal()
        let inspector = try TerminalNeed(command: "run", without: "'hopscope run --no-ui' prints a report", time: clock).open(settings)
        terminal.resize(to: inspector.outputSize)
        let child: ChildProcess
        do {
            child = try terminal.start(program, environment: try traces.environment(), mask: signals.maskBefore)
        } catch {
            inspector.close()
            throw error
        }
        let running = RunningProgram(child, on: terminal, traces, signals)
        let name = ListedTrace.name(program[0].split(separator: "/").last.map(String.init) ?? program[0])
        let signal = inspector.show(running, of: name)
        running.stopReading()
        terminal.passOn()
        if let signal, running.ending == nil { kill(child.pid, signal) }
        let ending = running.ending ?? relay(to: terminal, running)
        terminal.drain()
        return ending
    }

    /// Connects the command's terminal to the program until the program has ended.
    private func relay(to terminal: PseudoTerminal, _ running: RunningProgram) -> ChildProcess.Ending {
        let signals = SignalWait(SignalWait.ending + SignalWait.passedOn + [SIGWINCH, SIGCHLD])
        StandardError.say("'\(program[0])' continues here, and reads your input.")
        let relay = TerminalRelay(to: terminal)
        defer { relay.end() }
        while true {
            if let ending = running.look() { return ending }
            relay.pass()
            guard let arrival = signals.next(milliseconds: 20) else { continue }
            switch arrival.number {
            case SIGCHLD: break
            case SIGWINCH: relay.adoptSize()
            case let number: kill(running.pid, number)
            }
        }
    }
}

/// A program on its own terminal, as the inspector sees it.
private final class RunningProgram: InspectedProgram {
    private let child: ChildProcess
    private let terminal: PseudoTerminal
    private let traces: ProgramTraces
    private let signals: SignalWait
    private var shown: LaneTrace?
    /// The way in which the program ended. Nil while it runs.
    private(set) var ending: ChildProcess.Ending?

    init(_ child: ChildProcess, on terminal: PseudoTerminal, _ traces: ProgramTraces, _ signals: SignalWait) {
        self.child = child
        self.signals = signals
        self.terminal = terminal
        self.traces = traces
    }

    var pid: pid_t { child.pid }

    /// Updates the recordings of the program's processes. Returns the way in which the program ended, or nil while it runs.
    func look() -> ChildProcess.Ending? {
        if ending == nil { ending = child.ending() }
        traces.look()
        return ending
    }

    func takeOutput() -> [UInt8] {
        // The inspector calls this once per frame, which is often enough to pass on signals.
        if !hasEnded, let arrival = signals.next(milliseconds: 0) { kill(child.pid, arrival.number) }
        return terminal.takeNew()
    }

    func type(_ bytes: [UInt8]) { terminal.type(bytes) }

    /// Ends the program and what it has started: `swift test` does not end the process of its tests.
    func end() {
        guard ending == nil else { return }
        for pid in child.family { kill(pid, SIGTERM) }
    }

    func resize(to size: Size) { terminal.resize(to: size) }

    var hasEnded: Bool {
        if ending == nil { ending = child.ending() }
        return ending != nil
    }

    var processes: [ProgramProcess] {
        _ = look()
        return traces.shownFirst(hasEnded: ending != nil).map {
            ProgramProcess(
                pid: $0.region.pid, name: ListedTrace.name($0.region.program), eventCount: $0.region.recordCount,
                hasEnded: $0.region.writer == .ended)
        }
    }

    func source(of process: ProgramProcess) -> (any TraceSource)? {
        guard let watched = traces.busiestFirst.first(where: { $0.region.pid == process.pid }) else { return nil }
        stopReading()
        guard let trace = try? LaneTrace(symbolized: watched.region) else { return nil }
        shown = trace
        return trace
    }

    /// Stops reading the trace that the inspector shows.
    func stopReading() {
        if let shown, !shown.hasEnded { shown.stop() }
        shown = nil
    }
}
