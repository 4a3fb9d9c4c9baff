import Glibc

/// Tasks that wait for peers which misbehave, one for each argument `WAY:PORT`, and a Hummingbird server.
///
/// Each task prints `task ID WAY PEER`, and `running PORT` tells the port of the server. The driver compares what `hopscope ps` says of the task
/// with the peer that it has given to the way.
@main struct Clients {
    static func main() async throws {
        let ways = CommandLine.arguments.dropFirst().compactMap(Way.init)
        let (http, postgres) = (HTTPWays(), PostgresWays())
        for way in ways {
            Task {
                try await way.name.hasPrefix("postgres") ? postgres.run(way) : http.run(way)
                Report.line("ended \(way.name)")
            }
        }
        try await Server(http: http).run()
    }
}

struct Way: Sendable {
    let name: String
    let port: Int
    var peer: String { "127.0.0.1:\(port)" }

    init(name: String, port: Int) { (self.name, self.port) = (name, port) }

    init?(_ argument: String) {
        let parts = argument.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1]) else { return nil }
        self.init(name: String(parts[0]), port: port)
    }
}

enum Report {
    /// Tells that the current task begins to wait in this way.
    static func task(_ way: String, _ peer: String) {
        line("task \(taskNumber()) \(way) \(peer)")
    }

    static func line(_ text: String) {
        let line = Array((text + "\n").utf8)
        write(1, line, line.count)
    }

    /// The number of the current task, as the runtime keeps it in the task's first words.
    private static func taskNumber() -> UInt32 {
        withUnsafeCurrentTask { task in
            unsafeBitCast(task!, to: UnsafeRawPointer.self).load(fromByteOffset: 36, as: UInt32.self)
        }
    }
}

/// Tasks wait here for something that is no socket.
actor Parking<Client> {
    /// What the owner also has, such as a client or a connection.
    private let client: Client
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]

    init(_ client: Client) { self.client = client }

    func park() async {
        await withCheckedContinuation { waiters[waiters.count] = $0 }
    }

    nonisolated func closed() { Report.line("closed") }
}
