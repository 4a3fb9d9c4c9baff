import CTraceLanes
import Glibc
import TaskEvents

/// The inspector's end of a program's control socket. It sends one command at a time and is not thread-safe.
package final class ControlConnection {
    private let socket: OpenFile
    /// Whether the last message was sent.
    private var isSent = false

    /// Connects to the program that publishes a region. Throws if the program takes no commands; the inspector can then only watch it.
    ///
    /// - Parameter timeout: The longest wait for an answer, in milliseconds.
    package convenience init(to region: RegionFile, timeout: UInt32 = 2000) throws(TraceProblem) {
        guard let slash = region.path.lastIndex(of: "/") else {
            throw TraceProblem(.missing, "\(region.path) is named without its directory, so that its program cannot be asked anything.")
        }
        let directory = try TraceDirectory(path: String(region.path[..<slash]))
        try self.init(in: directory, region: String(region.path[slash...].dropFirst()), pid: region.pid, timeout: timeout)
    }

    package init(in directory: TraceDirectory, region: String, pid: Int32? = nil, timeout: UInt32 = 2000) throws(TraceProblem) {
        let name = ControlServer.name(ofRegion: region)
        let descriptor = trace_control_connect(directory.descriptor, name, timeout)
        let error = errno
        guard descriptor >= 0 else {
            switch error {
            case ENOENT: throw TraceProblem(.missing, "The program takes no commands: you can look, but not control it.")
            case ECONNREFUSED: throw TraceProblem(.missing, "The program has ended and takes no commands.")
            case EACCES, EPERM: throw TraceProblem(.refused, "The program belongs to another user and takes no commands from you.")
            default: throw TraceProblem(.unavailable, "The program cannot be asked anything: \(TraceProblem.words(of: error)).")
            }
        }
        socket = OpenFile(descriptor)
        // A later process of the same user may have bound the name, so this checks which process listens.
        var peer = trace_peer()
        guard trace_control_peer(descriptor, &peer), peer.user == geteuid() else {
            throw TraceProblem(.refused, "Another user listens in the place of the program.")
        }
        guard pid == nil || peer.pid == 0 || Int32(bitPattern: peer.pid) == pid else {
            throw TraceProblem(.missing, "The program takes no commands: another process has taken its place.")
        }
    }

    /// Sends a command and waits for its answer.
    package func send(_ control: Control) throws(TraceProblem) -> ControlAnswer {
        try exchange(control.bytes)
    }

    /// Sends a message that may or may not be a command, and waits for the answer.
    package func exchange(_ message: [UInt8]) throws(TraceProblem) -> ControlAnswer {
        send(message, waits: true)
        return try answer()
    }

    /// Sends a command without waiting. Call ``answer()`` once ``isAnswered`` is true, before the next command.
    package func ask(_ control: Control) {
        send(control.bytes, waits: false)
    }

    /// Whether ``answer()`` returns at once.
    package var isAnswered: Bool {
        var source = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        return !isSent || poll(&source, 1, 0) > 0
    }

    /// The server answers an unwanted client and closes the connection before it reads anything. Sending may therefore fail although an
    /// answer is waiting.
    private func send(_ message: [UInt8], waits: Bool) {
        isSent = trace_control_send(socket.descriptor, message, message.count, waits)
    }

    /// Waits for the answer to the message that was sent last.
    package func answer() throws(TraceProblem) -> ControlAnswer {
        var bytes = [UInt8](repeating: 0, count: Control.messageLimit)
        var length = trace_control_receive(socket.descriptor, &bytes, bytes.count)
        // The socket first reports that the server closed without reading the message. The answer follows.
        if length < 0, errno == ECONNRESET { length = trace_control_receive(socket.descriptor, &bytes, bytes.count) }
        if length < 0, errno == EAGAIN { throw TraceProblem(.unavailable, "The program does not answer; it may be stopped.") }
        guard length > 0 else {
            throw TraceProblem(.unavailable, isSent ? "The program ended without an answer." : "The program has ended.")
        }
        guard length <= bytes.count, let answer = ControlAnswer(bytes: bytes.prefix(length)) else {
            throw TraceProblem(.unreadable, "The program's answer could not be read; it may be built with another Hopscope.")
        }
        return answer
    }
}
