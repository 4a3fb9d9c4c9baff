import Foundation
import Testing
import TraceTestKit

/// `hopscope check --timeout` on a package whose tests hang in the ways of `Programs/Ways.swift`, in Swift Testing and in XCTest.
///
/// `make swift-test` runs it, because it builds that package.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["HOPSCOPE_SWIFT_TEST"] != nil))
struct HungSuiteTests {
    /// A test of the package, and what the finding must say of it.
    struct PlantedTest: Sendable, CustomTestStringConvertible {
        let way: HangTests.Way
        let isXCTest: Bool

        private var legacyName: String { "test" + way.function.prefix(1).uppercased() + way.function.dropFirst() }
        var name: String { isXCTest ? legacyName + "()" : way.function + "()" }
        var arguments: [String] {
            isXCTest ? ["Hanging.LegacyTests/\(legacyName)"] : ["--testing-library", "swift-testing", "--filter", "Suite/\(way.function)"]
        }
        var source: String {
            "\(isXCTest ? "" : "@Test ")func \(name) async { await \(isXCTest ? "" : "Hanging.")\(way.function)() }"
        }
        var testDescription: String { "\(isXCTest ? "XCTest" : "Swift Testing"), \(way.function)" }
    }

    static let planted = [false, true].flatMap { isXCTest in HangTests.ways.map { PlantedTest(way: $0, isXCTest: isXCTest) } }

    private static let package = Task {
        let folder = try ScratchFolder()
        let manifest = """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(name: "hanging", targets: [.testTarget(name: "Hanging")], swiftLanguageModes: [.v5])
            """
        func source(_ isXCTest: Bool) -> String { planted.filter { $0.isXCTest == isXCTest }.map(\.source).joined(separator: "\n") }
        try folder.write(manifest, to: "Package.swift")
        try folder.write("import Testing\nstruct Suite {\n\(source(false))\n}\n", to: "Tests/Hanging/Suite.swift")
        try folder.write(
            "import XCTest\nfinal class LegacyTests: XCTestCase {\n\(source(true))\n}\n", to: "Tests/Hanging/LegacyTests.swift")
        try folder.write(try String(contentsOfFile: WatchedProgram.source("Ways.swift"), encoding: .utf8), to: "Tests/Hanging/Ways.swift")
        let build = try await FinishedProcess.run(["swift", "build", "--build-tests", "--package-path", folder.path], within: 600)
        #expect(build.status == 0, "\(build.output)\n\(build.errors)")
        return folder
    }

    private func check(_ deadline: String, _ arguments: [String], _ environment: [String] = []) async throws -> FinishedProcess {
        let folder = try await Self.package.value
        let program = folder.path(".build/debug/hangingPackageTests.xctest")
        return try await FinishedProcess.run(
            ["env", "HOPSCOPE_FLIGHT_DIR=\(folder.path("flight"))"] + environment
                + [Hopscope.path, "check", "--timeout", deadline, "--fail-on", "hang", "--", program] + arguments, within: 300)
    }

    @Test("The finding names the stuck test, the chain of its waits, the cause and its line", arguments: planted)
    func namesTheTest(test: PlantedTest) async throws {
        let ended = try await check("4s", test.arguments)
        #expect(ended.status == 1, "\(ended.output)\(ended.errors)")
        let lines = ended.output.split(separator: "\n")
        let index = try #require(lines.firstIndex { $0.contains("error: hang: ") }, "\(ended.output)\(ended.errors)")
        let line = try WatchedProgram.line(of: test.way.line, in: "Ways.swift")
        #expect(lines[index].contains("\(test.name) had not ended after"), "\(ended.output)")
        #expect(lines[index].contains(test.way.cause) && lines[index].contains("Ways.swift:\(line)"), "\(ended.output)")
        #expect(lines[index...].dropFirst().first?.hasPrefix("    #") == true, "\(ended.output)")
    }

    @Test("The same tests, slow but healthy, give no finding", arguments: [false, true])
    func passesTheSlow(isXCTest: Bool) async throws {
        let library = isXCTest ? ["Hanging.LegacyTests"] : ["--testing-library", "swift-testing", "--no-parallel"]
        let ended = try await check("200s", library, ["HANGS_SLOW=1"])
        #expect(ended.status == 0 && !ended.output.contains("hang:"), "\(ended.output)\(ended.errors)")
        let count = "\(HangTests.ways.count) tests"
        #expect((ended.output + ended.errors).contains(count), "\(ended.output)\(ended.errors)")
    }
}
