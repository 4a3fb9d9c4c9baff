// swift-tools-version: 6.2

import PackageDescription

/// A program for each library that Hopscope has a module for, as its users had it. Comments mark what has changed besides the import.
let package = Package(
    name: "Moving",
    dependencies: [.package(name: "hopscope", path: "../..")],
    targets: [
        .executableTarget(name: "Shop", dependencies: [.product(name: "AWSTasks", package: "hopscope")]),
        .executableTarget(name: "Upload", dependencies: [.product(name: "AWSTasks", package: "hopscope")]),
        .executableTarget(name: "Pages", dependencies: [.product(name: "SwiftTasks", package: "hopscope")]),
        .executableTarget(name: "Photos", dependencies: [.product(name: "AlecrimTasks", package: "hopscope")]),
    ],
    swiftLanguageModes: [.v5]
)
