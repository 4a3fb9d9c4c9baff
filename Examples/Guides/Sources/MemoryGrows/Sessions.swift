/// Each connection has a task that reads its stream. Closed connections forget to finish theirs.
struct Connection: Sendable {
    let messages: AsyncStream<String>
    let input: AsyncStream<String>.Continuation
}

actor Sessions {
    private var all: [Connection] = []

    func open() -> Connection {
        let (messages, input) = AsyncStream.makeStream(of: String.self)
        let connection = Connection(messages: messages, input: input)
        all.append(connection)
        return connection
    }
}

@main
struct Chat {
    static func main() async throws {
        let sessions = Sessions()
        for _ in 0..<400 {
            let connection = await sessions.open()
            Task {
                for await message in connection.messages { print(message) }
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
