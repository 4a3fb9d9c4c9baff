import Foundation
import InspectorTestKit

/// A program of `Programs`, compiled once a run of the tests.
enum ProgramBuild: String, CaseIterable, Sendable {
    case debug, release
    /// The probe in it, and Swift as libraries.
    case linkedDebug, linked
    /// The probe in it, and Swift too.
    case staticallyLinked

    /// Whether the probe is preloaded.
    var isPreloaded: Bool { self == .debug || self == .release }

    private var options: [String] {
        switch self {
        case .debug: ["-Onone", "-g"]
        case .release: ["-O"]
        case .linkedDebug: ["-Onone", "-g"] + BuiltProbe.objects
        case .linked: ["-O"] + BuiltProbe.objects
        case .staticallyLinked: ["-O", "-static-stdlib"] + BuiltProbe.objects
        }
    }

    private static func path(ofSource name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs/\(name).swift").path
    }

    /// The text of a program.
    static func source(_ name: String) throws -> String {
        try String(contentsOfFile: path(ofSource: name), encoding: .utf8)
    }

    /// The path of the program that comes of it. `targets` are those of this package that it imports, with all that they need.
    /// `sources` are files below `Sources` that are compiled with it.
    func program(_ name: String, with targets: [String] = [], sources: [String] = []) throws -> String {
        try BuiltProbe.folder.program("\(name)-\(rawValue)") { path in
            let source = Self.path(ofSource: name)
            let imports = targets.isEmpty ? [] : BuiltProbe.modules + BuiltProbe.objects(of: targets)
            let files = [source] + sources.map { BuiltProbe.sources.appendingPathComponent($0).path }
            return ["swiftc", "-swift-version", "6", "-parse-as-library", "-package-name", "ledger", "-o", path] + files + options + imports
        }
    }
}

/// The probe as SwiftPM has compiled it, beside the bundle of tests that is running.
enum BuiltProbe {
    static let folder = BuildFolder()

    private static let products: URL = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent()
    }()

    /// The path of a program of this package.
    static func product(_ name: String) -> String { products.appendingPathComponent(name).path }

    /// What a program is linked with that has the probe as a dependency.
    static let objects = objects(of: ["CConcurrencyProbe", "CTraceLanes"])

    static func objects(of targets: [String]) -> [String] {
        targets.flatMap { target in
            let folder = products.appendingPathComponent("\(target).build")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.filter { $0.hasSuffix(".o") }.sorted().map { folder.appendingPathComponent($0).path }
        }
    }

    /// Where a program finds the modules of this package.
    static var modules: [String] {
        let lanes = sources.appendingPathComponent("CTraceLanes/include/module.modulemap").path
        return ["-I", products.appendingPathComponent("Modules").path, "-Xcc", "-fmodule-map-file=\(lanes)"]
    }

    static var sources: URL {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return tests.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
    }

    /// The library that is preloaded, made as Scripts/link-probe makes it.
    static func library() throws -> String {
        try folder.program("libhopscope-probe.so") { path in
            ["clang", "-O2", "-fPIC", "-shared", "-DHOPSCOPE_PRELOADED", "-Wl,-Bsymbolic-functions", "-o", path] + files(ofTests: [])
        }
    }
}
