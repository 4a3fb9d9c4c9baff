import Foundation
import Testing
import TraceTestKit

/// The exit status of the command, as the GitHub action and the SwiftPM plugin pass it on. A script stands for the command.
struct PassedStatusTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// A folder with a `hopscope` that ends with $TESTING for the tests of Swift Testing, and with $XCTEST for others.
    private func folder() throws -> ScratchFolder {
        let folder = try ScratchFolder()
        try folder.write("#!/bin/sh\ncase \"$*\" in *swift-testing*) exit $TESTING ;; *) exit $XCTEST ;; esac\n", to: "script")
        return folder
    }

    private func shell(_ script: String, in folder: ScratchFolder) async throws -> FinishedProcess {
        // A copy, because other tests' processes may have this process's file open, and such a file cannot be run.
        let copied = "cd '\(folder.path)'; mkdir -p bin; cp script bin/hopscope; chmod +x bin/hopscope"
        let path = "export PATH=\"$PWD/bin:$PATH\""
        return try await FinishedProcess.run(["bash", "-c", "\(copied); \(path); \(script)"], within: 600)
    }

    /// The script of the action's step that runs the command.
    private static func step() throws -> String {
        let action = try String(contentsOfFile: "\(root)/action.yml", encoding: .utf8)
        let lines = action.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != "      id: check" }
        return lines.drop { $0 != "      run: |" }.dropFirst().prefix { $0.isEmpty || $0.hasPrefix("        ") }.joined(separator: "\n")
    }

    @Test("The action ends with the status of the command, and names it", arguments: ["check", "explore"], [0, 1, 3, 69, 139])
    func action(_ verb: String, _ status: Int) async throws {
        let folder = try folder()
        try folder.write(Self.step(), to: "step")
        let variables = "RUNNER_TEMP=. GITHUB_OUTPUT=outputs GITHUB_STEP_SUMMARY=summary VERB=\(verb) COMMAND='swift test' ORDERS=9 TIME=9s"
        let ended = try await shell("XCTEST=\(status) \(variables) bash -e step; echo $?; cat outputs summary", in: folder)
        #expect(ended.output.hasPrefix("\(status)\nstatus=\(status)\n"), "\(ended.output)\(ended.errors)")
        #expect(status == 0 || ended.output.contains("`hopscope \(verb)` ended with \(status)."), "\(ended.output)")
    }

    /// `make swift-test` runs it, because it builds a package.
    @Test(
        "The plugin ends with the status of the command, which SwiftPM names",
        .enabled(if: ProcessInfo.processInfo.environment["HOPSCOPE_SWIFT_TEST"] != nil))
    func plugin() async throws {
        let folder = try folder()
        try folder.write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "shop",
                targets: [
                    .target(name: "Shop"), .testTarget(name: "ShopTests"),
                    .plugin(
                        name: "HopscopePlugin",
                        capability: .command(intent: .custom(verb: "hopscope", description: "Runs tests under Hopscope"))),
                ])
            """, to: "Package.swift")
        try folder.write("public let price = 1", to: "Sources/Shop/Shop.swift")
        try folder.write("import XCTest\nfinal class ShopTests: XCTestCase { func test() {} }", to: "Tests/ShopTests/ShopTests.swift")
        let plugin = try String(contentsOfFile: "\(Self.root)/Plugins/HopscopePlugin/HopscopePlugin.swift", encoding: .utf8)
        try folder.write(plugin, to: "Plugins/HopscopePlugin/HopscopePlugin.swift")
        for (testing, xctest, status) in [(0, 69, 0), (69, 0, 0), (1, 69, 1), (0, 3, 3), (69, 69, 69)] {
            let ended = try await shell(
                "TESTING=\(testing) XCTEST=\(xctest) swift package hopscope explore --orders 9; echo \"ended with $?\"", in: folder)
            #expect(ended.output.contains("ended with \(status == 0 ? 0 : 1)\n"), "\(ended.output)\(ended.errors)")
            #expect(status == 0 || ended.errors.contains("Plugin ended with exit code \(status)\n"), "\(ended.output)\(ended.errors)")
            #expect((status == 69) == ended.errors.contains("No test could be explored."), "\(ended.errors)")
        }
    }
}
