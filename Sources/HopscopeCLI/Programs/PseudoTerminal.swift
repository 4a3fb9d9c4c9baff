import Foundation
import TaskEvents
import TerminalCanvas

/// A terminal for a program, which keeps the program's output for the Output screen and for the command's own terminal. A separate thread
/// reads the output, so that the program never blocks on it. Any thread can call the methods.
final class PseudoTerminal: Sendable {
    private let master: Int32
    private let path: String
    private let output = Guarded(Output())

    private struct Output {
        /// Output that the Output screen has not taken yet.
        var new: [UInt8] = []
        /// Output since the program's start; only the end of it if there is much.
        var kept = Data()
        /// Whether new output also goes to the command's own terminal.
        var isPassedOn = false
        var isOver = false
        /// Typed bytes that the terminal has not accepted yet.
        var typed: [UInt8] = []
    }

    private static let newLimit = 1 << 20
    private static let keptLimit = 4 << 20
    private static let typedLimit = 1 << 16

    // `ioctl` requests, macros that Swift does not import.
    private static let unlock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    init() throws(UserError) {
        var (isLocked, number): (Int32, Int32) = (0, 0)
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard master >= 0, ioctl(master, Self.unlock, &isLocked) == 0, ioctl(master, Self.number, &number) == 0 else {
            throw UserError("No terminal could be made for the program: \(String(cString: strerror(errno))).", .cannotStart)
        }
        path = "/dev/pts/\(number)"
    }

    /// Starts a program on this terminal and begins to read its output.
    func start(_ command: [String], environment: [String: String], mask: sigset_t) throws(UserError) -> ChildProcess {
        let child = try ChildProcess(command, environment: environment, mask: mask, terminal: path)
        Thread { [self] in read() }.start()
        return child
    }

    /// Sets the terminal's size. The system notifies the program.
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
            // End of file or an error: no process has the terminal open any more.
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

    /// The output since the last call.
    func takeNew() -> [UInt8] {
        flush()
        return output.withLock { output in
            defer { output.new = [] }
            return output.new
        }
    }

    /// Writes the output so far to the command's own terminal, and from now on all new output.
    func passOn() {
        output.withLock { output in
            _ = Descriptor.write(output.kept, to: STDOUT_FILENO)
            output.kept = Data()
            output.isPassedOn = true
        }
    }

    /// Waits until all output has been read: no other process has the terminal open, or the processes that have it open print nothing for
    /// 50 ms.
    func drain() {
        var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        while Glibc.poll(&poll, 1, 50) > 0, !output.withLock({ $0.isOver }) { usleep(1000) }
    }

    // MARK: Input

    /// Sends typed bytes to the program, as soon as the terminal has room.
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
