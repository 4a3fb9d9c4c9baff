// swift-tools-version: 6.1
import PackageDescription

/// The benchmarks use `package` names of the package above, so each is compiled with that package's name. SwiftPM names a package that is
/// given by its path after its folder.
let inspected = Context.packageDirectory.split(separator: "/").dropLast().last.map { $0.lowercased() } ?? "hopscope"

/// One target per folder of benchmarks; a folder is a subject.
func benchmark(_ name: String, dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["Measuring", .product(name: "Benchmark", package: "benchmark"), .product(name: "Hopscope", package: inspected)]
            + dependencies,
        path: "Benchmarks/\(name)",
        packageAccess: false,
        swiftSettings: [.unsafeFlags(["-package-name", inspected])],
        plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
}

let package = Package(
    name: "hopscope-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(path: ".."),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .target(name: "CAllocator"),
        .target(name: "Measuring", dependencies: [.product(name: "Benchmark", package: "benchmark")]),
        .executableTarget(
            name: "Counting",
            dependencies: [.product(name: "TaskRuntime", package: inspected)],
            path: "Counting",
            packageAccess: false,
            swiftSettings: [.unsafeFlags(["-package-name", inspected])]),
        benchmark("Drawing"),
        benchmark("Emitting"),
        benchmark("Tracing"),
        benchmark(
            "Running",
            dependencies: [
                "CAllocator", .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ]),
    ]
)
