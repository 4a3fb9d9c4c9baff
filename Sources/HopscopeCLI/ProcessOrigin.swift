import Foundation
import TraceTransport

/// Where the program of a process comes from. `swift test` starts a dozen of the toolchain's own processes, and they are not what a user
/// wants judged.
struct ProcessOrigin {
    /// Whether the program belongs to a Swift toolchain.
    let isToolchain: Bool

    /// Looks while the process runs, if it still does. Its name decides afterwards.
    init(of region: RegionFile) {
        if region.writer != .ended, let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(region.pid)/exe") {
            isToolchain = Self.isToolchain(path: path)
        } else {
            isToolchain = region.program.hasPrefix("swift-")
        }
    }

    /// Whether a program lies beside a Swift compiler.
    static func isToolchain(path: String) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        return FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent("swift-frontend").path)
    }
}
