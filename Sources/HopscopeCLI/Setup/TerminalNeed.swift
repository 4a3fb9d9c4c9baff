import CursesTerminal
import Hopscope
import TaskEvents
import TraceAnalysis

/// Opens a terminal for a command that shows the inspector.
struct TerminalNeed {
    /// The command's name.
    let command: String
    /// The alternative that needs no terminal, as a clause for the error message.
    let without: String
    let time: TimeSource

    /// Opens the terminal. If that fails, throws an error with the reason and the alternative that needs no terminal.
    func open(_ warnings: WarningSettings) throws(UserError) -> TerminalInspector {
        ProcessSetup.mapLargeArrays()
        let user = UserSettings()
        let settings = try user.read()
        do throws(TerminalUnavailable) {
            return try TerminalInspector(settings: settings, warnings: warnings, time: time, save: user.write)
        } catch {
            switch error {
            case .notATerminal:
                throw UserError("'hopscope \(command)' needs a terminal to show the inspector on. Without one, \(without).", .cannotStart)
            case _: throw UserError("\(error.description) Without a terminal, \(without).", .cannotStart)
            }
        }
    }
}
