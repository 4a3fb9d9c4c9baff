// swift-tools-version: 6.1

import PackageDescription

/// A Hummingbird server with one bug of each kind. It needs nothing of Hopscope to build.
let package = Package(
    name: "Server",
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "Shop",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ])
    ]
)
