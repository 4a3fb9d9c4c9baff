import Hummingbird
import NIOCore

/// A server whose handlers wait for their clients, or for other servers.
struct Server {
    let http: HTTPWays

    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let peer: String

        init(source: ApplicationRequestContextSource) {
            coreContext = .init(source: source)
            peer = "127.0.0.1:\(source.channel.remoteAddress?.port ?? 0)"
        }
    }

    func run() async throws {
        let router = Router(context: Context.self)
        router.post("slow") { request, context in
            Report.task("server-slow", context.peer)
            _ = try await request.body.collect(upTo: .max)
            return HTTPResponse.Status.ok
        }
        for way in ["unread", "closing"] {
            router.get("\(way)") { _, context in
                Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        Report.task("server-" + way, context.peer)
                        while true { try await writer.write(ByteBuffer(repeating: 120, count: 1 << 16)) }
                    })
            }
        }
        router.get("parked") { _, context in
            Report.task("server-parked", context.peer)
            await http.parking.park()
            return HTTPResponse.Status.ok
        }
        router.get("proxy/:port") { _, context in
            let port = try context.parameters.require("port", as: Int.self)
            try await http.run(Way(name: "server-proxy", port: port))
            return HTTPResponse.Status.ok
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in Report.line("running \(channel.localAddress?.port ?? 0)") })
        try await application.runService()
    }
}
