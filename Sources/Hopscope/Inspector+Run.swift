import CursesTerminal
import Dispatch
import Foundation
import InspectorUI
import TaskEvents
import TraceAnalysis
import TraceStore
import TraceTransport

extension Inspector {
    /// Shows the inspector on this program's terminal, and returns when the user closes it; the program goes on meanwhile and afterwards.
    ///
    /// ```swift
    /// import Hopscope
    ///
    /// try Inspector.run {
    ///     ChainTask(name: "ask") { try ask() }.continueWith(on: .main, name: "show") { show($0) }
    /// }
    /// ```
    ///
    /// It has a thread of its own; the calling thread waits for it. Called on the main thread, the main queue is served meanwhile, so that what
    /// runs on main goes on. It shows what happens from the call on, and what the lanes still hold if the program publishes or records already.
    /// What the program itself prints to the terminal meanwhile upsets the picture until Ctrl-L paints it anew.
    ///
    /// What it warns of is set by the `.hopscope.toml` of the current directory, or of the nearest one above it.
    ///
    /// Not from asynchronous code, whose thread it would hold: begin it on a thread of its own there.
    ///
    /// - Parameter program: called on the calling thread once everything is seen.
    /// - Throws: a sentence that says why there is nothing to show it on: no terminal, an unknown one, or an inspector that is open already;
    ///   why the settings file cannot be understood, or why nothing can be recorded. `program` has not been called then.
    @available(*, noasync, message: "It would hold the thread until the user leaves; begin it on a thread of its own.")
    public static func run(_ program: () -> Void = {}) throws {
        let settings = try SettingsFile.nearest().map { try SettingsFile(path: $0).warnings }
        let inspector = try TerminalInspector(warnings: settings ?? WarningSettings())
        let bus: EventBus
        do {
            bus = try ProcessTrace.shared.join()
        } catch {
            inspector.close()
            throw error
        }
        defer { ProcessTrace.shared.leave() }
        if let signal = show(inspector, bus, program) { kill(getpid(), signal) }
    }

    /// Shows it on a thread of its own. Returns when it is closed, with the signal that closed it.
    private static func show(_ inspector: TerminalInspector, _ bus: EventBus, _ program: () -> Void) -> Int32? {
        let ending = Ending()
        // The terminal belongs to one thread at a time: to the caller's until here, to that one from here on.
        nonisolated(unsafe) let inspector = inspector
        let thread = WorkerThread(name: "hopscope show") {
            let trace = LaneTrace(bus)
            let signal = inspector.show(trace, of: bus.program, controls: ProcessControls())
            trace.stop()
            ending.come(signal)
        }
        program()
        if Thread.isMainThread {
            while !ending.hasCome { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.25)) }
        }
        thread.join()
        return ending.signal
    }
}

/// How the inspector's thread says that it has been closed.
private final class Ending: Sendable {
    private let state = Guarded((hasCome: false, signal: Int32?.none))

    var hasCome: Bool { state.withLock { $0.hasCome } }
    var signal: Int32? { state.withLock { $0.signal } }

    func come(_ signal: Int32?) {
        state.withLock { $0 = (true, signal) }
        // The main thread may be waiting for something to do.
        DispatchQueue.main.async {}
    }
}
