/// Why there is no terminal to show anything on, and what to do about it.
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
            "The inspector needs a terminal, but the standard input or output is redirected; run it without pipes, or ask for a report instead."
        case .nameless:
            "The environment variable TERM is not set, so the terminal cannot be driven; set it to what your terminal is, for instance TERM=xterm-256color."
        case .unknown(let name):
            "The terminal \"\(name)\" is not in this machine's terminfo database; install its entry, or set TERM to one like it, for instance xterm-256color."
        case .noCursorAddressing(let name):
            "The terminal \"\(name)\" cannot place its cursor, which the inspector needs; set TERM to what your terminal is, or ask for a report instead."
        case .refused:
            "The operating system did not let the inspector take the terminal; check that the process may still open files."
        }
    }
}
