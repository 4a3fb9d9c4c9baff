import Foundation
import TaskEvents

/// A terminal of a program's own, whose output is kept until it can be shown.
final class PseudoTerminal: Sendable {
    private let master: Int32
    private let path: String
    private let output = Guarded(Output())
    private static let limit = 4 << 20

    private struct Output {
        /// What the program has printed and nobody has seen: the last of it, where that is much.
        var kept = Data()
        var isShown = false
    }

    // Requests of terminals that Swift does not take over.
    private static let unlock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    init() throws(UserError) {
        var (isLocked, number): (Int32, Int32) = (0, 0)
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0, ioctl(master, Self.unlock, &isLocked) == 0, ioctl(master, Self.number, &number) == 0 else {
            throw UserError("There is no terminal to be had for the program: \(String(cString: strerror(errno))).", .cannotStart)
        }
        path = "/dev/pts/\(number)"
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 { _ = ioctl(master, UInt(TIOCSWINSZ), &size) }
    }

    /// Starts a program on it, and begins to read what it prints.
    func start(_ command: [String], environment: [String: String]) throws(UserError) -> ChildProcess {
        var mask = sigset_t()
        sigemptyset(&mask)
        let child = try ChildProcess(command, environment: environment, mask: mask, terminal: path)
        Thread { [self] in read() }.start()
        return child
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = Glibc.read(master, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            let new = Data(buffer[..<count])
            output.withLock { output in
                if output.isShown {
                    FileHandle.standardOutput.write(new)
                } else {
                    output.kept.append(new)
                    if output.kept.count > Self.limit { output.kept = output.kept.suffix(Self.limit / 2) }
                }
            }
        }
    }

    /// Shows what was printed, and from now on what is.
    func showOutput() {
        output.withLock { output in
            FileHandle.standardOutput.write(output.kept)
            output = Output(isShown: true)
        }
    }

    /// Nobody has it open any more but this process, which shows the rest.
    func close() {
        var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        // The reading thread takes what is left; a terminal that nobody has open reads as hung up.
        while Glibc.poll(&poll, 1, 50) > 0, Int32(poll.revents) & POLLIN != 0 {}
    }
}
