// swift-tools-version: 6.2

import PackageDescription

/// A client whose chains read like Bolts'.
let package = Package(
    name: "Client",
    dependencies: [.package(name: "hopscope", path: "../..")],
    targets: [
        .executableTarget(name: "Client", dependencies: [.product(name: "Hopscope", package: "hopscope")])
    ]
)
