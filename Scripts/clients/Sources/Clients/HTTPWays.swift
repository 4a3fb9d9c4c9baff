import AsyncHTTPClient
import NIOCore
import NIOSSL

/// Requests of AsyncHTTPClient.
final class HTTPWays: Sendable {
    private let client: HTTPClient
    /// A client with two connections for each server.
    private let narrow: HTTPClient
    let parking: Parking<HTTPClient>

    init() {
        var configuration = HTTPClient.Configuration()
        configuration.timeout = .init(connect: .hours(1), read: .hours(1), write: .hours(1))
        configuration.tlsConfiguration = .makeClientConfiguration()
        configuration.tlsConfiguration?.certificateVerification = .none
        configuration.decompression = .disabled
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 2
        narrow = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        parking = Parking(client)
    }

    func run(_ way: Way) async throws {
        switch way.name {
        case "parked":
            Report.task(way.name, way.peer)
            await parking.park()
        case "http-parked":
            let response = try await client.execute(HTTPClientRequest(url: "http://\(way.peer)/"), deadline: .distantFuture)
            Report.task(way.name, way.peer)
            await parking.park()
            _ = try await response.body.collect(upTo: .max)
        case "http-pool": try await fillPool(way)
        case "http-tls", "http-half-tls", "http-closing-tls", "http-silent-tls": try await get(way, "https://\(way.peer)/")
        case "http-future":
            Report.task(way.name, way.peer)
            _ = try await client.get(url: "http://\(way.peer)/").get()
        case "http-upload":
            var request = HTTPClientRequest(url: "http://\(way.peer)/")
            request.method = .POST
            request.body = .bytes(ByteBuffer(repeating: 120, count: 64 << 20))
            try await execute(way, request)
        case "http-upload-stream":
            var request = HTTPClientRequest(url: "http://\(way.peer)/")
            request.method = .POST
            request.body = .stream(Chunks(), length: .unknown)
            try await execute(way, request)
        case _: try await get(way, "http://\(way.peer)/")
        }
    }

    private func get(_ way: Way, _ url: String) async throws {
        try await execute(way, HTTPClientRequest(url: url))
    }

    private func execute(_ way: Way, _ request: HTTPClientRequest) async throws {
        Report.task(way.name, way.peer)
        let response = try await client.execute(request, deadline: .distantFuture)
        _ = try await response.body.collect(upTo: .max)
    }

    /// Two requests have the connections of the pool, and three wait for one.
    private func fillPool(_ way: Way) async throws {
        await withTaskGroup { group in
            for _ in 0..<5 {
                group.addTask {
                    Report.task(way.name, way.peer)
                    _ = try? await self.narrow.execute(HTTPClientRequest(url: "http://\(way.peer)/"), deadline: .distantFuture)
                }
            }
        }
    }
}

/// A body without an end.
struct Chunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
    func makeAsyncIterator() -> Chunks { self }
    mutating func next() async -> ByteBuffer? { ByteBuffer(repeating: 120, count: 1 << 16) }
}
