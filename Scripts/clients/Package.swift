// swift-tools-version: 6.1

import PackageDescription

/// Clients and a server whose peers misbehave. It needs nothing of Hopscope to build.
///
/// `POSTGRES_NIO` is the folder of a checkout of postgres-nio, for a machine that does not reach GitHub.
let postgres: Package.Dependency =
    if let folder = Context.environment["POSTGRES_NIO"], !folder.isEmpty {
        .package(name: "postgres-nio", path: folder)
    } else {
        .package(url: "https://github.com/vapor/postgres-nio", from: "1.9.0")
    }

let package = Package(
    name: "Clients",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        postgres,
    ],
    targets: [
        .executableTarget(
            name: "Clients",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "PostgresNIO", package: "postgres-nio"),
            ])
    ]
)
