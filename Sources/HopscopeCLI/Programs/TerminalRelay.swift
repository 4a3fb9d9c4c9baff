import Foundation
import TerminalCanvas

/// Connects the command's own terminal to a program's: input goes to the program unchanged, including the keys that send signals.
///
/// Active from `init` to ``end()``. One thread uses it.
final class TerminalRelay {
    private let program: PseudoTerminal
    private var before = termios()

    init(to program: PseudoTerminal) {
        self.program = program
        tcgetattr(STDIN_FILENO, &before)
        var raw = before
        cfmakeraw(&raw)
        // Raw mode: the program's terminal has already converted line ends.
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        adoptSize()
    }

    func end() {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
    }

    /// Makes the program's terminal as large as the command's.
    func adoptSize() {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return }
        program.resize(to: Size(columns: Int(size.ws_col), rows: Int(size.ws_row)))
    }

    /// Passes on the input that has arrived so far.
    func pass() {
        var poll = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        var buffer = [UInt8](repeating: 0, count: 1024)
        while Glibc.poll(&poll, 1, 0) > 0 {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 else { return }
            program.type(buffer[..<count])
        }
        program.type([])
    }
}
