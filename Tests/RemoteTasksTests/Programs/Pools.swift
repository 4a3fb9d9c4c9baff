// Tasks that wait for connections that are not open yet, and for pools of connections. The name of a task says what it waits for:
// `io DESCRIPTOR PEER STATE`, `io pool PEER -`, or `none`.
import Foundation

/// SwiftNIO opens a connection by an object that has captured the channel's promise.
final class Connector: @unchecked Sendable {
    let promise = EventLoopFuture()
    func connected() {}
}
final class Runner: @unchecked Sendable {
    let connector = Connector()
    func connected() { connector.connected() }
}

final class Connections {
    private let poll = Poll()

    func connect(_ server: Server, waits: Bool = true) -> SocketChannel {
        let channel = SocketChannel(Socket(makeSocket()))
        server.connect(channel.socket.descriptor, waits: waits)
        return opened(channel)
    }

    func accept(_ server: Server) -> SocketChannel { opened(SocketChannel(Socket(Glibc.accept(server.descriptor, nil, nil)))) }

    private func opened(_ channel: SocketChannel) -> SocketChannel {
        poll.add(channel.socket.descriptor)
        SelectableEventLoop.shared.channels.append(channel)
        return channel
    }
}

/// A promise that is kept after some others, of which each keeps the next one.
func chained(_ first: EventLoopFuture) -> EventLoopFuture {
    var last = first
    for _ in 0..<12 {
        let next = EventLoopFuture()
        last.callbacks.append { for callback in next.callbacks { callback() } }
        last = next
    }
    return last
}

extension Task where Success == Void, Failure == Never {
    @discardableResult
    init(_ channel: SocketChannel, _ server: Server, _ state: String, _ wait: @escaping @Sendable () async -> Void) {
        self.init(name: "io \(channel.socket.descriptor) \(server.name) \(state)", operation: wait)
    }
}

func wait(for future: EventLoopFuture) async {
    await withUnsafeContinuation { waiter in future.callbacks.append { waiter.resume() } }
}

func wait(in pool: ClientPool) async {
    await withCheckedContinuation { waiter in
        let request = QueuedRequest()
        request.state = .queued(waiter, pool)
        pool.state.queue = [nil, request, nil]
    }
}

/// Two connections of a pool to these servers.
func fill(_ pool: ClientPool, _ connections: Connections, _ servers: [Server]) {
    lease(pool, servers.map { connections.connect($0) })
}

func lease(_ pool: ClientPool, _ channels: [SocketChannel]) {
    for channel in channels {
        let connection = ClientConnection(channel, pool)
        channel.closePromise.callbacks.append { connection.closed() }
        pool.state.leases += [.starting(1), .leased(connection)]
    }
}

/// A server that answers no further connection. Its queue has room for one.
let (fullServer, server, otherServer) = (Server(backlog: 0), Server(), Server())

@main struct Pools {
    static func main() async {
        let connections = Connections()
        fullServer.connect(makeSocket())
        for _ in 0..<3 { fullServer.connect(makeSocket(), waits: false) }
        openConnections(connections)
        openPools(connections)
        waitForOthers(connections)
        print("ready")
        fflush(stdout)
        while true { try? await Task.sleep(nanoseconds: 1_000_000_000_000) }
    }

    static func openConnections(_ connections: Connections) {
        let (runner, connecting) = (Runner(), connections.connect(fullServer, waits: false))
        connecting.pendingConnect = EventLoopFuture()
        chained(connecting.pendingConnect!).callbacks.append { runner.connected() }
        let connected = chained(runner.connector.promise)
        Task(connecting, fullServer, "connecting") { await wait(for: connected) }
        // A handler's promise, and a pool that awaits that of another handler.
        let (prepared, opened, pool) = (EventLoopFuture(), EventLoopFuture(), ClientPool())
        let (channel, pooled) = (connections.connect(server), connections.connect(server))
        channel.pipeline.head = ChannelHandlerContext(OpeningHandler(prepared), next: nil)
        let ready = chained(prepared)
        Task(channel, server, "established") { await wait(for: ready) }
        pooled.pipeline.head = ChannelHandlerContext(OpeningHandler(opened), next: nil)
        chained(opened).callbacks.append { pool.closed(nil) }
        Task(pooled, server, "established") { await wait(in: pool) }
    }

    static func openPools(_ connections: Connections) {
        let connecting = connections.connect(fullServer, waits: false)
        let (starting, full, numbered) = (ClientPool(), ClientPool(), ClientPool())
        connecting.pendingConnect = EventLoopFuture()
        chained(connecting.pendingConnect!).callbacks.append { starting.closed(nil) }
        Task(connecting, fullServer, "connecting") { await wait(in: starting) }
        fill(full, connections, [server, server])
        Task(name: "io pool \(server.name) -") { await wait(in: full) }
        let channels = [connections.connect(otherServer), connections.connect(otherServer)]
        lease(numbered, channels)
        for channel in channels { channel.closePromise.callbacks.append { [weak channel] in numbered.closed(channel) } }
        Task(name: "io pool \(otherServer.name) -") { await withCheckedContinuation { numbered.numbered[1] = $0 } }
    }

    /// Tasks of which it is not known for which connection they wait, or that wait for none.
    static func waitForOthers(_ connections: Connections) {
        let (two, accepted) = (ClientPool(), ClientPool())
        fill(two, connections, [server, otherServer])
        Task(name: "none") { await wait(in: two) }
        let own = Server()
        own.connect(makeSocket())
        lease(accepted, [connections.accept(own)])
        Task(name: "none") { await wait(in: accepted) }
        // The owner of a connection awaits its end, and has tasks that wait for something else.
        let channel = connections.connect(server)
        let owner = ClientOwner(ClientConnection(channel, ClientPool()))
        channel.closePromise.callbacks.append { owner.closed() }
        Task(name: "none") { await withCheckedContinuation { owner.waiters[1] = $0 } }
        // An object refers to a pool that has not queued it.
        let (pool, request) = (ClientPool(), QueuedRequest())
        fill(pool, connections, [server, server])
        Task(name: "none") { await withCheckedContinuation { request.state = .queued($0, pool) } }
    }
}
