// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "server",
    dependencies: [
        .package(name: "hopscope", path: "../../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    ],
    targets: [
        .executableTarget(
            name: "Server",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                // The probe needs no import. It records once HOPSCOPE is set.
                .product(name: "HopscopeStaticProbe", package: "hopscope"),
            ])
    ]
)
