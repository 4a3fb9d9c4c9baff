import Foundation
import TaskEvents
import TerminalCanvas

/// A terminal of a program's own: what is printed there is kept for the Output screen and for the command's own terminal. A thread of its own
/// reads it, so that the program never waits; the rest is for any thread.
final class PseudoTerminal: Sendable {
    private let master: Int32
    private let path: String
    private let output = Guarded(Output())

    private struct Output {
        /// What the program has printed and the Output screen has not taken.
        var new: [UInt8] = []
        /// What it has printed since its start: the last of it, where that is much.
        var kept = Data()
        /// Whether it is shown on the command's own terminal as it comes.
        var isPassedOn = false
        var isOver = false
        /// What was typed and has not found room yet.
        var typed: [UInt8] = []
    }

    private static let newLimit = 1 << 20
    private static let keptLimit = 4 << 20
    private static let typedLimit = 1 << 16

    // Requests of terminals that Swift does not take over.
    private static let unlock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    init() throws(UserError) {
        var (isLocked, number): (Int32, Int32) = (0, 0)
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard master >= 0, ioctl(master, Self.unlock, &isLocked) == 0, ioctl(master, Self.number, &number) == 0 else {
            throw UserError("There is no terminal to be had for the program: \(String(cString: strerror(errno))).", .cannotStart)
        }
        path = "/dev/pts/\(number)"
    }

    /// Starts a program on it, and begins to read what it prints.
    func start(_ command: [String], environment: [String: String], mask: sigset_t) throws(UserError) -> ChildProcess {
        let child = try ChildProcess(command, environment: environment, mask: mask, terminal: path)
        Thread { [self] in read() }.start()
        return child
    }

    /// Gives it a size, which the program hears of.
    func resize(to size: Size) {
        var size = winsize(ws_row: UInt16(clamping: size.rows), ws_col: UInt16(clamping: size.columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    // MARK: Output

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        while true {
            _ = Glibc.poll(&poll, 1, -1)
            let count = Glibc.read(master, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            // Hung up: nobody has it open any more.
            guard count > 0 else { break }
            take(buffer[..<count])
        }
        output.withLock { $0.isOver = true }
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        output.withLock { output in
            guard !output.isPassedOn else {
                _ = Descriptor.write(bytes, to: STDOUT_FILENO)
                return
            }
            output.kept.append(contentsOf: bytes)
            if output.kept.count > Self.keptLimit { output.kept = output.kept.suffix(Self.keptLimit / 2) }
            output.new += bytes
            if output.new.count > Self.newLimit { output.new.removeFirst(Self.newLimit / 2) }
        }
    }

    /// What was printed since the last call.
    func takeNew() -> [UInt8] {
        flush()
        return output.withLock { output in
            defer { output.new = [] }
            return output.new
        }
    }

    /// Shows on the command's own terminal what was printed, and from now on what is.
    func passOn() {
        output.withLock { output in
            _ = Descriptor.write(output.kept, to: STDOUT_FILENO)
            output.kept = Data()
            output.isPassedOn = true
        }
    }

    /// Waits until everything that was printed has been read: nobody has the terminal open any more but this process, or what has it open has
    /// nothing to say.
    func drain() {
        var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        while Glibc.poll(&poll, 1, 50) > 0, !output.withLock({ $0.isOver }) { usleep(1000) }
    }

    // MARK: Input

    /// Gives the program what a terminal sends for what was typed, as soon as there is room.
    func type(_ bytes: some Sequence<UInt8>) {
        output.withLock { output in
            output.typed += bytes
            output.typed.removeFirst(max(0, output.typed.count - Self.typedLimit))
        }
        flush()
    }

    private func flush() {
        output.withLock { output in
            while !output.typed.isEmpty {
                let count = Glibc.write(master, output.typed, output.typed.count)
                guard count > 0 else { return }
                output.typed.removeFirst(count)
            }
        }
    }
}
