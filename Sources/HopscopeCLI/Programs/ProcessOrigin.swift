import Foundation
import TraceTransport

/// The origin of a process's program. `swift test` starts a dozen processes of the toolchain, which users do not want to check.
struct ProcessOrigin {
    /// Whether the program belongs to a Swift toolchain.
    let isToolchain: Bool

    /// Inspects the executable's path while the process runs. After the process has ended, its name decides: whether it begins with
    /// `swift-` and the toolchain in `PATH` has such a program. A user's package can be called `swift-…`, too.
    init(of region: RegionFile) {
        if region.writer != .ended, let isToolchain = Self.isToolchain(pid: region.pid) {
            self.isToolchain = isToolchain
        } else {
            let path = region.program.hasPrefix("swift-") ? ToolchainExamination.path(of: region.program) : nil
            isToolchain = path.map(Self.isToolchain(path:)) ?? false
        }
    }

    /// Whether a process's program belongs to a Swift toolchain. Nil if the program is not known.
    static func isToolchain(pid: Int32) -> Bool? {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")).map(isToolchain(path:))
    }

    /// Whether the program's folder also contains a Swift compiler.
    private static func isToolchain(path: String) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        return FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent("swift-frontend").path)
    }
}
