import CursesTerminal
import Hopscope
import TraceAnalysis

/// A command's need of a terminal to show the inspector on.
struct TerminalNeed {
    /// The command's name.
    let command: String
    /// The command that does without a terminal, as half a sentence.
    let without: String

    /// Takes the terminal. Throws why that is not possible, and which command needs none.
    func open(_ warnings: WarningSettings) throws(UserError) -> TerminalInspector {
        let user = UserSettings()
        let settings = try user.read()
        do throws(TerminalUnavailable) {
            return try TerminalInspector(settings: settings, warnings: warnings, save: user.write)
        } catch {
            switch error {
            case .notATerminal:
                throw UserError("'hopscope \(command)' needs a terminal to show the inspector on. Without one, \(without).", .cannotStart)
            case _: throw UserError("\(error.description) Without a terminal, \(without).", .cannotStart)
            }
        }
    }
}
