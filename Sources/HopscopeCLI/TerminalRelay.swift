import Foundation
import TerminalCanvas

/// The command's own terminal as a program's: what is typed there is typed to the program, as it is, keys that send signals included.
///
/// From the making to ``end()``; one thread.
final class TerminalRelay {
    private let program: PseudoTerminal
    private var before = termios()

    init(to program: PseudoTerminal) {
        self.program = program
        tcgetattr(STDIN_FILENO, &before)
        var raw = before
        cfmakeraw(&raw)
        // The program's terminal has made carriage returns of line ends already.
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        adoptSize()
    }

    func end() {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
    }

    /// The program's terminal is as large as the command's.
    func adoptSize() {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return }
        program.resize(to: Size(columns: Int(size.ws_col), rows: Int(size.ws_row)))
    }

    /// Passes on what was typed by now.
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
