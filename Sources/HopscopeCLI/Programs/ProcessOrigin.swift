import Foundation
import TraceTransport

/// The origin of a process's program. `swift test` starts a dozen processes of the toolchain, which users do not want to check.
struct ProcessOrigin {
    /// Whether the program belongs to a Swift toolchain.
    let isToolchain: Bool

    /// Inspects the executable's path while the process runs. After the process has ended, its name decides: whether it begins with
    /// `swift-` and the toolchain in `PATH` has such a program. A user's package can be called `swift-…`, too.
    init(of region: RegionFile) {
        if region.writer != .ended, let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(region.pid)/exe") {
            isToolchain = Self.isToolchain(path: path)
        } else {
            isToolchain =
                region.program.hasPrefix("swift-") && ToolchainExamination.path(of: region.program).map(Self.isToolchain) ?? false
        }
    }

    /// Whether the program's folder also contains a Swift compiler.
    static func isToolchain(path: String) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        return FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent("swift-frontend").path)
    }
}
