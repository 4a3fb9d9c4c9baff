import Foundation

/// The Swift toolchain: its version and its runtime library. No command needs them.
struct ToolchainExamination: Examination {
    let title = "Toolchain"

    func lines() -> [DoctorLine] {
        guard let swift = Self.path(of: "swift") else { return [DoctorLine("swift", "none in PATH; Hopscope runs without it")] }
        return [DoctorLine("swift", "\(Self.version ?? "it does not say its version") (\(swift))")]
    }

    /// The first line of what the toolchain says of its version.
    static var version: String? {
        guard let swift = path(of: "swift") else { return nil }
        return BriefProgram(swift, ["--version"])?.output.split(separator: "\n").first.map(String.init)
    }

    /// A program beside the toolchain's `swift`, or in `PATH`.
    static func path(of tool: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { URL(fileURLWithPath: String($0)) }
        let toolchains = folders.map { $0.appendingPathComponent("swift") }.filter { FileManager.default.isExecutableFile(atPath: $0.path) }
            .map { $0.resolvingSymlinksInPath().deletingLastPathComponent() }
        return (toolchains + folders).map { $0.appendingPathComponent(tool).path }.first(
            where: FileManager.default.isExecutableFile(atPath:))
    }

    /// The toolchain's shared runtime library.
    static var runtime: String? {
        guard let swift = path(of: "swift") else { return nil }
        let root = URL(fileURLWithPath: swift).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appendingPathComponent("lib/swift/linux/libswift_Concurrency.so").path
        return FileManager.default.isReadableFile(atPath: path) ? path : nil
    }
}
