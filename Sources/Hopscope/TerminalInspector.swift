import CursesTerminal
import Foundation
import InspectorUI
import TaskEvents
import TerminalCanvas
import TraceAnalysis
import TraceStore
import TraceTransport

/// The inspector on the process's terminal. `init` takes the terminal, and `show` and `close` give it back. One thread at a time uses it.
package final class TerminalInspector {
    private let terminal: CursesTerminal
    private let settings: InspectorSettings
    private let warnings: WarningSettings
    private let time: TimeSource
    private let save: (InspectorSettings) -> Void
    /// The reason why the inspector stopped, if it failed.
    package private(set) var failure: String?

    /// Throws if the inspector cannot draw on a terminal. `warnings` holds the settings of the warning rules. `save` stores the user's
    /// choices and runs on the thread that calls `show`.
    package init(
        settings: InspectorSettings = InspectorSettings(), warnings: WarningSettings = WarningSettings(), time: TimeSource,
        save: @escaping (InspectorSettings) -> Void = { _ in }
    ) throws(TerminalUnavailable) {
        self.settings = settings
        self.warnings = warnings
        self.time = time
        self.save = save
        terminal = try CursesTerminal()
    }

    /// The size of the inspected program's terminal, which is a part of this one.
    package var outputSize: Size { OutputScreen.size(in: terminal.size) }

    /// Shows a program that the command has started for inspection: its output, and the traces of its processes, beginning with the process
    /// that has the most events.
    package func show(_ host: some InspectedProgram, of program: String) -> Int32? {
        show(SilentSource(host), of: program, controls: NoControls("Under the probe a program can only be looked at."), host: host)
    }

    /// Gives the terminal back without showing anything.
    package func close() {
        terminal.close()
    }

    /// Shows a trace until the user quits the inspector, and gives the terminal back. Returns the signal that ended the inspector, or nil.
    /// The caller must raise that signal again. `orders` runs the program of a recorded order in others. `recordedAt` is the time at which a recording began, in nanoseconds since 1970.
    package func show(
        _ source: any TraceSource, of program: String, controls: any ControlLine, in history: TraceHistory = TraceHistory(),
        host: (any InspectedProgram)? = nil, orders: (any OrderRunner)? = nil, recordedAt: UInt64? = nil
    ) -> Int32? {
        let session = InspectorSession(
            terminal: terminal, source: source, history: history, program: program, host: host, orders: orders, controls: controls,
            settings: settings, warnings: warnings, sources: SourceFiles(recordedAt: recordedAt), save: save, clock: time.elapsed())
        failure = Self.run(session, on: terminal)
        terminal.close()
        if let failure { FileHandle.standardError.write(Data("hopscope: \(failure)\n".utf8)) }
        return failure == nil ? session.endingSignal : nil
    }

    /// Runs a session on a thread of its own, and returns when the user has left it. If the session fails, its picture is replaced by a
    /// sentence, which is returned. The process and the calling thread go on in either case.
    package static func run(_ session: InspectorSession, on terminal: any TerminalDriver) -> String? {
        let result = Guarded<InspectorFault?>(nil)
        nonisolated(unsafe) let shown = session
        let thread = try? WorkerThread(name: "hopscope view") {
            let fault = runGuarded { shown.run() }
            result.withLock { $0 = fault }
        }
        guard let thread else {
            session.run()
            return nil
        }
        thread.join()
        guard let fault = result.withLock({ $0 }) else { return nil }
        // The fault may have left the session's members inconsistent, so the session is never released.
        _ = Unmanaged.passRetained(session)
        let failed = FailedFrame(screen: session.shownTitle, trace: fault.trace)
        failed.show(on: terminal)
        return failed.sentence
    }
}
