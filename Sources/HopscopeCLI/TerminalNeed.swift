import CursesTerminal
import Hopscope
import TraceAnalysis

/// That a command shows something and so needs a terminal.
struct TerminalNeed {
    /// Which command.
    let command: String
    /// What does without: half a sentence.
    let without: String

    /// Takes the terminal, or says why that cannot be and which command needs none.
    func open(_ warnings: WarningSettings) throws(UserError) -> TerminalInspector {
        do {
            return try UserSettings().openInspector(warnings)
        } catch .notATerminal {
            throw UserError("'hopscope \(command)' needs a terminal to show the inspector on. Without one, \(without).", .cannotStart)
        } catch {
            throw UserError("\(error.description) Without a terminal, \(without).", .cannotStart)
        }
    }
}
