import Foundation

/// The library that reports a Swift program's tasks. `run` and similar commands preload it into the programs they start.
enum ProbeLibrary {
    /// The library's path: beside the command in a build, in `lib` beside `bin` in an installation. Nil if the file is missing, or if its
    /// path contains a space or a colon, which separate the entries of `LD_PRELOAD`.
    static var path: String? {
        let command = URL(fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
        let folder = command.deletingLastPathComponent()
        let candidates = [
            folder.appendingPathComponent("libhopscope-probe.so"),
            folder.deletingLastPathComponent().appendingPathComponent("lib/libhopscope-probe.so"),
            // The shared library that SwiftPM builds. It works only for programs that link the Swift runtime dynamically.
            folder.appendingPathComponent("libHopscopeProbe.so"),
        ]
        return candidates.map(\.path).first { FileManager.default.isReadableFile(atPath: $0) && !$0.contains(" ") && !$0.contains(":") }
    }

    static let missing = UserError(
        "The probe, libhopscope-probe.so, is neither beside 'hopscope' nor in ../lib; 'make release' builds it.", .cannotStart)

    /// The environment variable that preloads the probe, ahead of any libraries that the user preloads.
    static func environment() throws(UserError) -> [String: String] {
        guard let path else { throw missing }
        let others = ProcessInfo.processInfo.environment["LD_PRELOAD"] ?? ""
        return ["LD_PRELOAD": others.isEmpty ? path : "\(path) \(others)"]
    }
}
