import Logging
import NIOCore
import NIOSSL
import PostgresNIO

/// Connections and queries of PostgresNIO.
final class PostgresWays: Sendable {
    func run(_ way: Way) async throws {
        switch way.name {
        case "postgres-pool": try await fillPool(way)
        case "postgres-parked":
            // The owner of a connection has tasks that wait for something else.
            let connection = try await connect(way)
            let parking = Parking(connection)
            connection.closeFuture.whenComplete { _ in parking.closed() }
            Report.task(way.name, way.peer)
            await parking.park()
        case "postgres-query", "postgres-half-row":
            let connection = try await connect(way)
            Report.task(way.name, way.peer)
            for try await _ in try await connection.query("SELECT 1", logger: logger) {}
        case _:
            Report.task(way.name, way.peer)
            _ = try await connect(way)
        }
    }

    private let logger = Logger(label: "clients")

    private func connect(_ way: Way) async throws -> PostgresConnection {
        var configuration = PostgresConnection.Configuration(
            host: "127.0.0.1", port: way.port, username: "clients", password: "clients", database: "clients",
            tls: way.name.hasSuffix("tls") ? .require(try NIOSSLContext(configuration: tls)) : .disable)
        configuration.options.connectTimeout = .hours(1)
        return try await PostgresConnection.connect(configuration: configuration, id: 1, logger: logger)
    }

    private var tls: TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        return tls
    }

    /// Two queries have the connections of the pool, and three wait for one.
    private func fillPool(_ way: Way) async throws {
        var configuration = PostgresClient.Configuration(
            host: "127.0.0.1", port: way.port, username: "clients", password: "clients", database: "clients", tls: .disable)
        configuration.options.connectTimeout = .seconds(3600)
        configuration.options.maximumConnections = 2
        let client = PostgresClient(configuration: configuration)
        await withTaskGroup { group in
            group.addTask { await client.run() }
            for _ in 0..<5 {
                group.addTask {
                    Report.task(way.name, way.peer)
                    _ = try? await client.query("SELECT 1", logger: self.logger)
                }
            }
        }
    }
}
