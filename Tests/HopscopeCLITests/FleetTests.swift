import Foundation
import Testing

/// `hopscope ship` against a collector that this project did not write.
struct FleetTests {
    private static let top = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let hasCollector = FileManager.default.isExecutableFile(
        atPath: top.appendingPathComponent(".build/fleet/rotel/rotel-agent").path)

    @Test(
        "The three questions about twelve processes, asked by SQL of what a real collector passed on, have the answers of their ledgers",
        .enabled(if: hasCollector, "the collector from PyPI is missing, and 'Scripts/fleet-packages' could not install it"))
    func fleet() async throws {
        let process = try await FinishedProcess.run([Self.top.appendingPathComponent("Scripts/check-fleet").path, Hopscope.path])
        #expect(process.status == 0, "\(process.output)\(process.errors)")
        #expect(process.output.contains("12 processes, "))
    }
}
