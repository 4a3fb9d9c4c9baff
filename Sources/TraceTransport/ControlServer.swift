import CTraceLanes
import Glibc
import TaskEvents

/// Listens beside a published region for commands of the same user.
///
/// The socket transports whole messages. Its mode is 0600, in a directory of mode 0700. The kernel reports the peer's user; a process of
/// another user gets a refusal and is disconnected. One thread serves all clients. It reads one message at a time and never waits for a
/// client that does not read its answers. A message that is not a command gets a refusal. Only commands use this socket; events are read
/// from the lanes.
package final class ControlServer: Sendable {
    package typealias Handler = @Sendable (Control) -> ControlAnswer

    /// The largest number of clients at a time. One more client replaces the one that connected first.
    static let clientLimit = 8

    private let directory: TraceDirectory
    private let name: String
    private let bell: OpenFile
    private let thread: Guarded<WorkerThread?>

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - region: the file name of the region that the socket belongs to.
    ///   - user: the user whose processes may send commands.
    ///   - handler: carries out commands on the server's thread. The server itself handles `ping` and `mark`.
    package init(
        in directory: TraceDirectory, region: String, user: UInt32 = geteuid(), handler: @escaping Handler
    ) throws(TraceProblem) {
        self.directory = directory
        name = Self.name(ofRegion: region)
        let listener = trace_control_listen(directory.descriptor, name)
        let error = errno
        guard listener >= 0 else {
            let words = TraceProblem.words(of: error)
            throw TraceProblem(.unavailable, "Commands cannot be taken at \(directory.path)/\(name): \(words).")
        }
        let socket = OpenFile(listener)
        let descriptor = trace_control_bell()
        guard descriptor >= 0 else { throw TraceProblem(.unavailable, "Commands cannot be taken: \(TraceProblem.words(of: errno)).") }
        let bell = OpenFile(descriptor)
        self.bell = bell
        thread = Guarded(
            try WorkerThread(name: "hopscope control") {
                var desk = ControlDesk(listener: socket, bell: bell, user: user, handler: handler)
                while desk.turn() {}
            })
    }

    /// The name of the socket that belongs to `region`.
    static func name(ofRegion region: String) -> String {
        let stem = region.hasSuffix(TraceDirectory.suffix) ? String(region.dropLast(TraceDirectory.suffix.count)) : region
        return stem + TraceDirectory.controlSuffix
    }

    /// Ends the thread after its current command, and removes the socket. Must not be called from a handler. A second call does nothing.
    package func stop() {
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let thread else { return }
        trace_control_ring(bell.descriptor)
        thread.join()
        unlinkat(directory.descriptor, name, 0)
    }
}

/// The state of the server's thread.
private struct ControlDesk {
    let listener: OpenFile
    let bell: OpenFile
    let user: UInt32
    let handler: ControlServer.Handler
    private var clients: [OpenFile] = []
    /// Whether the process has no free descriptor for the next waiting client.
    private var isOutOfDescriptors = false

    /// The time for which the server waits for a free descriptor before it tries again, in milliseconds. The listener stays readable while
    /// a client waits, so polling it would return at once.
    private static let pause: Int32 = 250

    init(listener: OpenFile, bell: OpenFile, user: UInt32, handler: @escaping ControlServer.Handler) {
        self.listener = listener
        self.bell = bell
        self.user = user
        self.handler = handler
    }

    /// Waits for input and handles it. Returns false once the bell has rung.
    mutating func turn() -> Bool {
        var sources = ([bell, listener] + clients).map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        // `poll` ignores negative descriptors.
        if isOutOfDescriptors { sources[1].fd = -1 }
        let count = poll(&sources, nfds_t(sources.count), isOutOfDescriptors ? Self.pause : -1)
        guard count >= 0 else { return errno == EINTR }
        guard sources[0].revents == 0 else { return false }
        let gone = zip(clients, sources.dropFirst(2)).filter { $1.revents != 0 && !serve($0) }.map(\.0)
        clients.removeAll { client in gone.contains { $0 === client } }
        if sources[1].revents != 0 || count == 0 { admit() }
        return true
    }

    private mutating func admit() {
        let descriptor = trace_control_accept(listener.descriptor)
        isOutOfDescriptors = descriptor < 0 && [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
        guard descriptor >= 0 else { return }
        let client = OpenFile(descriptor)
        var peer = trace_peer()
        guard trace_control_peer(descriptor, &peer), peer.user == user else {
            answer(.refused("This program takes commands from the user with id \(user) alone."), client)
            return
        }
        if clients.count == ControlServer.clientLimit { clients.removeFirst() }
        clients.append(client)
    }

    /// Reads one message and answers it. Returns false if the client has disconnected.
    private func serve(_ client: OpenFile) -> Bool {
        var message = [UInt8](repeating: 0, count: Control.messageLimit)
        let length = trace_control_receive(client.descriptor, &message, message.count)
        if length < 0 { return errno == EAGAIN }
        guard length > 0 else { return false }
        guard length <= message.count, let control = Control(bytes: message.prefix(length)) else {
            return answer(.refused("This program does not know that command; it may be built with an older Hopscope."), client)
        }
        return answer(carryOut(control), client)
    }

    @discardableResult
    private func answer(_ answer: ControlAnswer, _ client: OpenFile) -> Bool {
        let bytes = answer.bytes
        return trace_control_send(client.descriptor, bytes, bytes.count, false)
    }

    private func carryOut(_ control: Control) -> ControlAnswer {
        control.carriedOutByAnyProgram ?? handler(control)
    }
}
