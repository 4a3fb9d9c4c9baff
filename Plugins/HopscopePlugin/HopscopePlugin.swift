import Foundation
import PackagePlugin

/// `swift package hopscope test`: builds the package's tests, runs them under Hopscope's probe, and checks what they did.
/// `swift package hopscope explore`: builds them, and runs them in many orders of their tasks.
///
/// `swift test` cannot be started here, because this command holds the package's build folder. The plugin runs what `swift test` would run.
@main
struct HopscopePlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        guard let verb = arguments.first.flatMap(Verb.init) else {
            throw Failure(
                "The command is 'swift package hopscope test [OPTIONS OF hopscope check]', or 'explore [OPTIONS OF hopscope explore]'.")
        }
        let hopscope = try Self.command()
        let build = try packageManager.build(.all(includingTests: true), parameters: .init(logging: .concise))
        guard build.succeeded else { throw Failure("The package's tests could not be built.\n\(build.logText)") }
        let bundle = try Self.bundle(of: context)
        // One bundle has the tests of both libraries, and runs those of one of them at a time.
        let statuses = try [["--testing-library", "swift-testing"], []].map { library in
            let tests = [bundle.path] + library
            return try run([hopscope.path, verb.command] + arguments.dropFirst() + ["--"] + tests, in: context.package.directoryURL)
        }
        // SwiftPM names the status of a plugin and ends with 1 itself.
        if let failure = statuses.first(where: { $0 != 0 && $0 != Self.nothingSeen }) { exit(failure) }
        guard statuses.contains(0) else {
            Diagnostics.warning(verb.nothing)
            exit(Self.nothingSeen)
        }
    }

    private enum Verb: String {
        case test, explore

        var command: String {
            switch self {
            case .test: "check"
            case .explore: "explore"
            }
        }

        /// Told if neither library has such tests.
        var nothing: String {
            switch self {
            case .test: "No test has made a Swift task, so nothing was checked."
            case .explore: "No test could be explored."
            }
        }
    }

    /// The status of a run without tests of the library, or whose tests have made no Swift task.
    private static let nothingSeen: Int32 = 69

    /// The installed `hopscope`.
    private static func command() throws -> URL {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let paths = folders.map { URL(fileURLWithPath: "\($0)/hopscope") }
        guard let found = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw Failure("'hopscope' is not in PATH; 'make install' or the Debian package of Hopscope installs it.")
        }
        return found
    }

    /// The built tests, in the debug folder of the build folder that the plugin's own folder is in.
    private static func bundle(of context: PluginContext) throws -> URL {
        var folder = context.pluginWorkDirectoryURL
        while folder.path != "/" {
            let products = folder.appendingPathComponent("debug")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: products.resolvingSymlinksInPath().path)) ?? []
            if let name = names.first(where: { $0.hasSuffix("PackageTests.xctest") }) { return products.appendingPathComponent(name) }
            folder.deleteLastPathComponent()
        }
        throw Failure("The package has no tests.")
    }

    private func run(_ command: [String], in folder: URL) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
