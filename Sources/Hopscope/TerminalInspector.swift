import CursesTerminal
import InspectorUI
import TerminalCanvas
import TraceAnalysis
import TraceStore

/// The inspector on the terminal that the process has. It takes the terminal when it is made and gives it back when it has been shown; one
/// thread at a time.
package final class TerminalInspector {
    private let terminal: CursesTerminal
    private let settings: InspectorSettings
    private let warnings: WarningSettings
    private let save: (InspectorSettings) -> Void

    /// Throws a sentence where there is no terminal that can be drawn on. `warnings` says what the user wants to be warned of; `save` keeps
    /// what the user chooses, and is called on the thread that shows.
    package init(
        settings: InspectorSettings = InspectorSettings(), warnings: WarningSettings = WarningSettings(),
        save: @escaping (InspectorSettings) -> Void = { _ in }
    ) throws(TerminalUnavailable) {
        self.settings = settings
        self.warnings = warnings
        self.save = save
        terminal = try CursesTerminal()
    }

    /// What the terminal of an inspected program has of this one.
    package var outputSize: Size { OutputScreen.size(in: terminal.size) }

    /// The program was started to be inspected: shows what its processes tell, the busiest first, and what it prints.
    package func show(_ host: some InspectedProgram, of program: String) -> Int32? {
        show(SilentSource(host), of: program, controls: NoControls("Under the probe a program can only be looked at."), host: host)
    }

    /// Gives the terminal back without having shown anything.
    package func close() {
        terminal.close()
    }

    /// Shows a trace until the user leaves, and gives the terminal back. Returns the signal that ended it, if one did: the caller still owes
    /// it to the process.
    package func show(
        _ source: any TraceSource, of program: String, controls: any ControlLine, in history: TraceHistory = TraceHistory(),
        host: (any InspectedProgram)? = nil
    ) -> Int32? {
        let clock = ContinuousClock()
        let start = clock.now
        let session = InspectorSession(
            terminal: terminal, source: source, history: history, program: program, host: host, controls: controls,
            settings: settings,
            warnings: warnings, save: save, clock: { UInt64((clock.now - start) / .nanoseconds(1)) })
        session.run()
        terminal.close()
        return session.endingSignal
    }
}
