// swift-tools-version: 6.0

import PackageDescription

/// One small program for each guide in Docs/Guides. None needs Hopscope to build.
let package = Package(
    name: "Guides",
    targets: ["RequestHangs", "ErrorEaten", "MainLate", "HotActor", "MemoryGrows", "OnceInAThousand", "SlowOne"].map {
        .executableTarget(name: $0)
    }
)
