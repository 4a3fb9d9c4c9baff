// swift-tools-version: 6.2

import PackageDescription

/// Swift 6.2 has the attributes that place a variable in a section of the file only as an experimental feature.
#if compiler(<6.3)
    let older: [SwiftSetting] = [.enableExperimentalFeature("SymbolLinkageMarkers")]
#else
    let older: [SwiftSetting] = []
#endif

/// The settings of every Swift target: a member is visible only where its module is imported. With HOPSCOPE_CI, as `.ci/run` sets it, a
/// warning is an error; packages that depend on this one are not stopped by the warnings of a later compiler.
let strict: [SwiftSetting] =
    [.swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")] + older
    + (Context.environment["HOPSCOPE_CI"] != nil ? [.treatAllWarnings(as: .error)] : [])

/// The table in Docs/Architecture.md lists the targets and their imports; `make check` compares the sources with it.
let package = Package(
    name: "hopscope",
    products: [
        .library(name: "Hopscope", targets: ["Hopscope"]),
        .library(name: "TaskRuntime", targets: ["TaskRuntime"]),
        .library(name: "AWSTasks", targets: ["AWSTasks"]),
        .library(name: "SwiftTasks", targets: ["SwiftTasks"]),
        .library(name: "AlecrimTasks", targets: ["AlecrimTasks"]),
        // The probe works in any program that links it; no import is needed. The dynamic product needs a program that links the Swift
        // runtime dynamically; the static one works with a static runtime too. Scripts/link-probe builds the library that `hopscope run`
        // preloads.
        .library(name: "HopscopeProbe", type: .dynamic, targets: ["CConcurrencyProbe"]),
        .library(name: "HopscopeStaticProbe", targets: ["CConcurrencyProbe"]),
        .executable(name: "hopscope", targets: ["HopscopeCLI"]),
        .plugin(name: "HopscopePlugin", targets: ["HopscopePlugin"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        .target(name: "CTraceLanes"),
        .target(name: "CConcurrencyProbe", dependencies: ["CTraceLanes"]),
        .target(name: "CExploreRecord"),
        // Nothing links it, because it stands before functions of other libraries: Scripts/link-probe makes a library of it.
        .target(
            name: "CExplore",
            dependencies: ["CConcurrencyProbe", "CExploreRecord"],
            cSettings: [.headerSearchPath("../CConcurrencyProbe")]),
        .target(name: "TaskEvents", dependencies: ["CTraceLanes"], swiftSettings: strict),
        .target(name: "TraceTransport", dependencies: ["CTraceLanes", "TaskEvents"], swiftSettings: strict),
        .target(
            name: "TaskRuntime",
            dependencies: ["TaskEvents", "TraceTransport", .product(name: "DequeModule", package: "swift-collections")],
            swiftSettings: strict),

        .target(name: "TextOutput", swiftSettings: strict),

        .target(name: "CThreadStack", path: "Sources/Dialects/CThreadStack"),
        .target(
            name: "AWSTasks",
            dependencies: ["TaskRuntime", "CThreadStack"],
            path: "Sources/Dialects/AWSTasks",
            swiftSettings: strict),
        .target(
            name: "SwiftTasks",
            dependencies: ["TaskRuntime", "AWSTasks"],
            path: "Sources/Dialects/SwiftTasks",
            swiftSettings: strict),
        .target(
            name: "AlecrimTasks",
            dependencies: ["TaskRuntime"],
            path: "Sources/Dialects/AlecrimTasks",
            swiftSettings: strict),

        .systemLibrary(name: "CZstd", providers: [.apt(["libzstd-dev"])]),
        .target(name: "TraceFile", dependencies: ["CZstd", "TaskEvents", "TraceTransport"], swiftSettings: strict),
        .target(
            name: "TraceStore",
            dependencies: ["TaskEvents", "TraceTransport", .product(name: "Histogram", package: "hdrhistogram-swift")],
            swiftSettings: strict),
        .target(
            name: "TraceAnalysis",
            dependencies: ["TextOutput", "TraceStore"],
            swiftSettings: strict),
        .target(name: "CDebugInfo", linkerSettings: [.linkedLibrary("dw"), .linkedLibrary("elf")]),
        .target(name: "CodeSymbols", dependencies: ["CDebugInfo", "TraceTransport"], swiftSettings: strict),
        .target(name: "TraceLayout", dependencies: ["TraceStore"], swiftSettings: strict),
        .target(name: "TraceReport", dependencies: ["TraceAnalysis"], swiftSettings: strict),
        .target(
            name: "CRemoteProcess",
            linkerSettings: [.linkedLibrary("dw"), .linkedLibrary("elf")]),
        .target(name: "RemoteTasks", dependencies: ["CRemoteProcess", "CodeSymbols", "TraceReport"], swiftSettings: strict),
        .target(name: "CProbeInjection", dependencies: ["CTraceLanes"]),
        .target(name: "ProbeInjection", dependencies: ["CProbeInjection", "RemoteTasks"], swiftSettings: strict),
        .target(name: "TraceExport", dependencies: ["TraceReport"], swiftSettings: strict),

        .target(name: "TerminalCanvas", dependencies: ["TextOutput"], swiftSettings: strict),
        .target(name: "InspectorUI", dependencies: ["TraceAnalysis", "TraceLayout", "TerminalCanvas"], swiftSettings: strict),
        .target(
            name: "CCurses",
            linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),
        .target(name: "CursesTerminal", dependencies: ["CCurses", "TerminalCanvas"], swiftSettings: strict),

        .target(
            name: "Hopscope",
            dependencies: ["TaskRuntime", "TraceFile", "InspectorUI", "CursesTerminal"],
            swiftSettings: strict),
        .executableTarget(name: "ExampleProgram", dependencies: ["Hopscope"], swiftSettings: strict),
        .target(
            name: "Scenarios",
            dependencies: ["TaskRuntime", "AWSTasks", "SwiftTasks", "AlecrimTasks"],
            swiftSettings: strict),
        .target(name: "CHTTPPost"),
        .target(name: "CThreadProfile"),
        .executableTarget(
            name: "HopscopeCLI",
            dependencies: [
                "CExploreRecord", "CHTTPPost", "CThreadProfile", "Hopscope", "Scenarios", "ProbeInjection", "TraceExport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // It runs the installed command, so that a package that uses it builds nothing of this one.
        .plugin(
            name: "HopscopePlugin",
            capability: .command(
                intent: .custom(verb: "hopscope", description: "Checks the package's tests, or explores the orders of their tasks."))),

        .target(name: "TraceTestKit", dependencies: ["TaskRuntime", "TraceStore"], swiftSettings: strict),
        .target(name: "InspectorTestKit", dependencies: ["TraceTestKit", "TraceAnalysis", "TerminalCanvas"], swiftSettings: strict),

        .testTarget(name: "TextOutputTests", dependencies: ["TextOutput", "TraceTestKit"], swiftSettings: strict),
        .testTarget(name: "TaskEventsTests", dependencies: ["TaskEvents", "TraceTestKit"], swiftSettings: strict),
        .testTarget(
            name: "TraceTransportTests",
            dependencies: ["TraceTransport", "TraceTestKit"],
            exclude: ["Programs"],
            swiftSettings: strict),
        // The probe and the dialects are in the programs that they run, and not in the tests.
        .testTarget(
            name: "CConcurrencyProbeTests",
            dependencies: ["AWSTasks", "SwiftTasks", "AlecrimTasks", "CodeSymbols", "InspectorTestKit", "TraceFile"],
            exclude: ["Programs"],
            swiftSettings: strict),
        .testTarget(name: "TaskRuntimeTests", dependencies: ["TaskRuntime", "TraceTestKit"], swiftSettings: strict),
        .testTarget(name: "AWSTasksTests", dependencies: ["AWSTasks", "TraceTestKit"], swiftSettings: strict),
        .testTarget(name: "SwiftTasksTests", dependencies: ["SwiftTasks", "TraceTestKit"], swiftSettings: strict),
        .testTarget(name: "AlecrimTasksTests", dependencies: ["AlecrimTasks", "TraceAnalysis", "TraceTestKit"], swiftSettings: strict),
        // The samples of the original libraries, unchanged. They were written before Swift 6.
        .testTarget(
            name: "SeedSamplesTests",
            dependencies: ["AWSTasks", "SwiftTasks", "AlecrimTasks"],
            swiftSettings: [.swiftLanguageMode(.v5), .enableUpcomingFeature("MemberImportVisibility")]),
        .testTarget(name: "TraceFileTests", dependencies: ["TraceFile", "TraceTestKit"], swiftSettings: strict),
        .testTarget(name: "TraceStoreTests", dependencies: ["TraceFile", "TraceStore", "TraceTestKit"], swiftSettings: strict),
        .testTarget(name: "TraceAnalysisTests", dependencies: ["TraceAnalysis", "InspectorTestKit"], swiftSettings: strict),
        .testTarget(
            name: "ProbeInjectionTests", dependencies: ["ProbeInjection", "TraceTestKit"], exclude: ["Programs"], swiftSettings: strict),
        .testTarget(
            name: "RemoteTasksTests",
            dependencies: ["RemoteTasks", "TraceTestKit"],
            exclude: ["Programs"],
            swiftSettings: strict),
        .testTarget(name: "TraceLayoutTests", dependencies: ["TraceLayout", "TraceTestKit"], swiftSettings: strict),
        .testTarget(name: "TraceReportTests", dependencies: ["TraceReport", "TraceTestKit"], swiftSettings: strict),
        .testTarget(name: "TraceExportTests", dependencies: ["TraceExport", "TraceTestKit"], swiftSettings: strict),
        .testTarget(name: "TerminalCanvasTests", dependencies: ["TerminalCanvas"], swiftSettings: strict),
        .testTarget(
            name: "InspectorUITests",
            dependencies: ["TraceFile", "InspectorUI", "InspectorTestKit"],
            exclude: ["Snapshots"],
            swiftSettings: strict),
        .testTarget(
            name: "ScenariosTests",
            dependencies: ["Scenarios", "TraceReport", "InspectorUI", "TraceTestKit"],
            swiftSettings: strict),
        .testTarget(name: "HopscopeTests", dependencies: ["Hopscope", "InspectorTestKit"], swiftSettings: strict),
        .testTarget(
            name: "HopscopeCLITests",
            dependencies: ["HopscopeCLI", "InspectorTestKit"],
            exclude: ["Programs"],
            swiftSettings: strict),
    ]
)

// Only `make docs` needs the documentation plugin; other builds do not resolve it.
if Context.environment["HOPSCOPE_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

// `make portability` builds the suites that it runs, and only the targets that these need, because a build for another Swift takes long.
if let targets = Context.environment["HOPSCOPE_TARGETS"]?.split(separator: " ").map(String.init) {
    var needed = Set(targets)
    var waiting = targets
    while let name = waiting.popLast() {
        for case .byNameItem(let other, _) in package.targets.first(where: { $0.name == name })?.dependencies ?? []
        where needed.insert(other).inserted {
            waiting.append(other)
        }
    }
    package.products.removeAll { !(($0 as? Product.Executable)?.targets.allSatisfy(needed.contains) ?? false) }
    package.targets.removeAll { !needed.contains($0.name) }
}
