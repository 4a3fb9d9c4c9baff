import Foundation
import Testing
import TraceTestKit

/// `hopscope check -- swift test` on a package with an XCTest and two Swift Testing tests, one of which leaves an error unread. The
/// package's name begins like those of the toolchain's programs.
///
/// `make swift-test` runs it, because it builds that package.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["HOPSCOPE_SWIFT_TEST"] != nil))
struct SwiftTestTests {
    private static let sources = [
        "Package.swift": """
        // swift-tools-version: 6.0
        import PackageDescription
        let package = Package(
            name: "swift-shop", targets: [.target(name: "Shop"), .testTarget(name: "ShopTests", dependencies: ["Shop"])])
        """,
        "Sources/Shop/Shop.swift": """
        public struct OutOfStock: Error {}
        public func order(_ count: Int) async throws -> Int {
            if count > 3 { throw OutOfStock() }
            return count
        }
        """,
        "Tests/ShopTests/LegacyTests.swift": """
        import Shop
        import XCTest
        final class LegacyTests: XCTestCase {
            func testOrder() async throws {
                let count = try await order(2)
                XCTAssertEqual(count, 2)
            }
        }
        """,
        "Tests/ShopTests/ShopTests.swift": """
        import Shop
        import Testing
        @Test func orders() async throws { #expect(try await order(3) == 3) }
        @Test func forgets() async {
            let (stream, ended) = AsyncStream<Void>.makeStream()
            _ = Task {
                defer { ended.finish() }
                _ = try await order(9)
            }
            for await _ in stream {}
        }
        """,
    ]

    /// The package, with its tests built.
    private static func package() async throws -> ScratchFolder {
        let folder = try ScratchFolder()
        for (path, text) in sources { try folder.write(text, to: path) }
        let build = try await shell("cd \"$1\" && swift build --build-tests", folder.path)
        #expect(build.status == 0, "\(build.output)\n\(build.errors)")
        return folder
    }

    private static func shell(_ script: String, _ arguments: String...) async throws -> FinishedProcess {
        try await FinishedProcess.run(["bash", "-c", script, Hopscope.path] + arguments, within: 600)
    }

    private static func check(_ folder: ScratchFolder, _ options: String, test: String) async throws -> FinishedProcess {
        try await shell("cd \"$1\" && exec \"$0\" check $2 -- swift test --skip-build $3", folder.path, options, test)
    }

    @Test("A check of 'swift test' judges the package's test processes, names the toolchain's, and the pattern chooses")
    func judges() async throws {
        let folder = try await Self.package()
        let planted = try await Self.check(folder, "", test: "")
        #expect(planted.status == 1)
        #expect(planted.output.contains("unobserved-fault: forgets()"), "\(planted.output)")
        #expect(planted.output.contains("swift-shopPackageTests.xctest: failed, 1 finding"), "\(planted.output)")
        #expect(planted.errors.contains("Left out: ") && planted.errors.contains("(swift-test, "), "\(planted.errors)")
        #expect(!planted.errors.contains("PackageTests"), "\(planted.errors)")

        let clean = try await Self.check(folder, "", test: "--skip forgets")
        #expect(clean.status == 0, "\(clean.output)\n\(clean.errors)")
        #expect(clean.output.contains("swift-shopPackageTests.xctest: passed"), "\(clean.output)")

        let toolchain = try await Self.check(folder, "--fail-on unobserved-fault --process swift-test", test: "")
        #expect(toolchain.status == 0, "\(toolchain.output)\n\(toolchain.errors)")
        #expect(toolchain.errors.contains("(swift-shopPackageTests.xctest, "), "\(toolchain.errors)")
        let chosen = try await Self.check(folder, "--process *PackageTests*", test: "")
        #expect(chosen.status == 1, "\(chosen.output)")
    }
}
