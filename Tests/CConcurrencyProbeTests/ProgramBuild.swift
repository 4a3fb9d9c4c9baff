import Foundation
import Testing
import TraceTestKit

/// A way to build a program of `Programs`. ``BuildFolder`` keeps the built programs.
enum ProgramBuild: String, CaseIterable, Sendable {
    case debug, release
    /// The probe is linked into the program; the Swift runtime is a library.
    case linkedDebug, linked
    /// Likewise, and the program exports its symbols, as programs that load plug-ins do.
    case linkedAndExported
    /// The probe and the Swift runtime are linked into the program.
    case staticallyLinked
    /// Likewise, and the linker leads the calls of Dispatch to the probe.
    case wrapped

    /// Whether the probe is preloaded.
    var isPreloaded: Bool { self == .debug || self == .release }

    private func options() throws -> [String] {
        switch self {
        case .debug: ["-Onone", "-g"]
        // SwiftPM's release builds also have debug information.
        case .release: ["-O", "-g"]
        case .linkedDebug: ["-Onone", "-g"] + BuiltProbe.objects
        case .linked: ["-O"] + BuiltProbe.objects
        case .linkedAndExported: ["-O", "-Xlinker", "-export-dynamic"] + BuiltProbe.objects
        case .staticallyLinked: ["-O", "-static-stdlib"] + BuiltProbe.objects
        case .wrapped: try ["-O", "-g", "-static-stdlib"] + BuiltProbe.wrapping() + BuiltProbe.objects
        }
    }

    private static func path(ofSource name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs/\(name).swift").path
    }

    /// The program of `Hazards.swift`.
    func hazards() throws -> String { try program("Hazards", files: ["CancellationHazards"]) }

    /// The source text of a program.
    static func source(_ name: String) throws -> String {
        try String(contentsOfFile: path(ofSource: name), encoding: .utf8)
    }

    /// The number of the line of a program's source that contains the text.
    static func line(of text: String, in name: String) throws -> Int {
        let lines = try source(name).split(separator: "\n", omittingEmptySubsequences: false)
        return try #require(lines.firstIndex { $0.contains(text) }) + 1
    }

    /// The path of the built program. `targets` are the package's targets that it imports; their dependencies are included. `files` are
    /// other files of `Programs`, and `sources` files below `Sources`, that are compiled into it. The main function of a script is the code
    /// at the top level of its one file.
    func program(
        _ name: String, with targets: [String] = [], files: [String] = [], sources: [String] = [], isScript: Bool = false
    ) throws -> String {
        try BuiltProbe.folder.program("\(name)-\(rawValue)") { path in
            let source = Self.path(ofSource: name)
            let imports = targets.isEmpty ? [] : BuiltProbe.modules + BuiltProbe.objects(of: targets)
            let files =
                [source] + files.map { Self.path(ofSource: $0) } + sources.map { BuiltProbe.sources.appendingPathComponent($0).path }
            let options = try options()
            let way = isScript ? [] : ["-parse-as-library"]
            return ["swiftc", "-swift-version", "6", "-package-name", "ledger", "-o", path] + way + files + options + imports
        }
    }
}

/// The probe as SwiftPM compiled it, next to the running test bundle.
enum BuiltProbe {
    static let folder = BuildFolder("CConcurrencyProbeTests")

    private static let products: URL = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent()
    }()

    /// The path of a product of this package.
    static func product(_ name: String) -> String { products.appendingPathComponent(name).path }

    /// The objects that a program links if it depends on the probe.
    static let objects = objects(of: ["CConcurrencyProbe", "CTraceLanes"])

    /// The linker's options for a program whose blocks the linked probe records, as `hopscope doctor` prints them for a program without.
    static func wrapping() throws -> [String] { try printedOptions.get() }

    private static let printedOptions = Result {
        let program = try ProgramBuild.staticallyLinked.hazards()
        let doctor = Process()
        let output = Pipe()
        doctor.executableURL = URL(fileURLWithPath: product("hopscope"))
        doctor.arguments = ["doctor", "--", program]
        doctor.standardOutput = output
        try doctor.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        doctor.waitUntilExit()
        let line = text.split(separator: "\n").first { $0.contains("swift build --static-swift-stdlib ") }
        return try #require(line).split(separator: " ").drop { $0 != "-Xlinker" }.map(String.init)
    }

    /// The targets that a program of chains needs.
    static let runtime = [
        "TaskRuntime", "TraceTransport", "TaskEvents", "CTraceLanes", "DequeModule", "InternalCollectionsUtilities", "ContainersPreview",
    ]

    /// The objects that SwiftPM links. The folders of the targets can also have those of sources that are no longer there.
    static func objects(of targets: [String]) -> [String] {
        targets.flatMap { target in linked.filter { $0.contains("/\(target).build/") }.sorted() }
    }

    /// A path with a space is quoted in SwiftPM's lists.
    private static let linked: Set<String> = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: products.path)) ?? []
        return names.filter { $0.hasSuffix(".product") }.reduce(into: []) { all, product in
            let list = products.appendingPathComponent("\(product)/Objects.LinkFileList")
            let lines = ((try? String(contentsOf: list, encoding: .utf8)) ?? "").split(separator: "\n")
            all.formUnion(lines.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "'")) })
        }
    }()

    /// The directory of this package's modules.
    static var modules: [String] {
        let maps = ["CTraceLanes", "Dialects/CThreadStack"].flatMap { target in
            ["-Xcc", "-fmodule-map-file=\(sources.appendingPathComponent("\(target)/include/module.modulemap").path)"]
        }
        return ["-I", products.appendingPathComponent("Modules").path] + maps
    }

    static var sources: URL {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return tests.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
    }

    /// The library that `hopscope run` preloads, as Scripts/link-probe builds it.
    static func library() throws -> String { try built.get() }

    private static let built = Result {
        let script = Process()
        script.executableURL = sources.deletingLastPathComponent().appendingPathComponent("Scripts/link-probe")
        script.currentDirectoryURL = sources.deletingLastPathComponent()
        script.arguments = [products.path]
        try script.run()
        script.waitUntilExit()
        guard script.terminationStatus == 0 else { throw BuildFolder.NotMade(command: ["Scripts/link-probe", products.path]) }
        return product("libhopscope-probe.own.so")
    }
}
