// swift-tools-version: 6.0

import PackageDescription

/// A test suite that hangs. It needs nothing of Hopscope to build.
let package = Package(
    name: "HangingTests",
    targets: [
        .target(name: "Loader"),
        .testTarget(name: "LoaderTests", dependencies: ["Loader"]),
    ]
)
