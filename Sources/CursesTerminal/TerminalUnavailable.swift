/// The reason why a terminal cannot be opened, and the user's next step.
package enum TerminalUnavailable: Error, Equatable, CustomStringConvertible {
    case alreadyOpen
    case notATerminal
    case nameless
    case unknown(name: String)
    case noCursorAddressing(name: String)
    case refused

    package var description: String {
        switch self {
        case .alreadyOpen:
            "This process already shows an inspector; close that one before opening another."
        case .notATerminal:
            "The inspector needs a terminal, but the standard input or output is redirected; run it without pipes, or ask for a report."
        case .nameless:
            """
            The environment variable TERM is not set, so the terminal cannot be driven; set it to your terminal's type, for example \
            TERM=xterm-256color.
            """
        case .unknown(let name):
            """
            The terminal "\(name)" is not in this machine's terminfo database; install its entry, or set TERM to a similar terminal, for \
            example xterm-256color.
            """
        case .noCursorAddressing(let name):
            """
            The terminal "\(name)" cannot place its cursor, which the inspector needs; set TERM to your terminal's type, or ask for \
            a report.
            """
        case .refused:
            "The operating system refused the terminal to the inspector; check that the process may open more files."
        }
    }
}
