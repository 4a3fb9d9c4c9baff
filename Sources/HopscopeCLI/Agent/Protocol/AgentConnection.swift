import Glibc

/// The connection to an agent: messages come in lines, and answers leave in lines. One thread uses it.
final class AgentConnection {
    private var input: MessageInput
    private let output: Int32

    init(input: Int32, output: Int32) {
        self.input = MessageInput(input)
        self.output = output
    }

    /// Answers messages until the agent closes the input. Throws if an answer cannot be written.
    func serve(_ server: AgentProtocol) throws(UserError) {
        while let line = input.next() {
            var watch = CancellationWatch(line)
            let call = ToolCall { [self] in watch.isCancelled(by: input.arrived(), hasEnded: input.hasEnded) }
            guard let answer = server.answer(to: line, call), !watch.wasCancelled else { continue }
            if let failure = Descriptor.write(Array("\(answer)\n".utf8), to: output) {
                throw OutputPath.cannotWrite("standard output", failure)
            }
        }
    }
}

/// Looks for the notification that cancels one request among the messages that arrive while it is answered.
private struct CancellationWatch {
    private let id: JSONValue?
    /// The number of messages that were looked at.
    private var seen = 0
    /// An agent expects no answer to a request that it has cancelled.
    private(set) var wasCancelled = false

    init(_ line: MessageInput.Line) {
        id = Self.message(line)?.requestID
    }

    /// Whether the request is cancelled. It is, too, if the agent has gone.
    mutating func isCancelled(by waiting: [MessageInput.Line], hasEnded: Bool) -> Bool {
        for line in waiting.dropFirst(seen) where id != nil && Self.message(line)?.cancelledRequest == id { wasCancelled = true }
        seen = waiting.count
        return wasCancelled || hasEnded
    }

    private static func message(_ line: MessageInput.Line) -> JSONValue? {
        guard case .message(let bytes) = line else { return nil }
        return try? JSONValue(parsing: bytes)
    }
}
