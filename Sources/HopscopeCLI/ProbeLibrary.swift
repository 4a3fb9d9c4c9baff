import Foundation

/// The library that makes a Swift program tell of its tasks, which is preloaded into what `run` and its like start.
enum ProbeLibrary {
    /// Where it lies: beside the command where that was built, in `lib` beside `bin` where it was installed. Nil if it is not there.
    static var path: String? {
        let command = URL(fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
        let folder = command.deletingLastPathComponent()
        let places = [
            folder.appendingPathComponent("libhopscope-probe.so"),
            folder.deletingLastPathComponent().appendingPathComponent("lib/libhopscope-probe.so"),
            // As SwiftPM links it: good for programs whose Swift runtime is a library.
            folder.appendingPathComponent("libHopscopeProbe.so"),
        ]
        return places.map(\.path).first { FileManager.default.isReadableFile(atPath: $0) && !$0.contains(" ") && !$0.contains(":") }
    }

    /// What a program is given so that it is watched, beside where it is to publish: before what it would preload anyway.
    static func environment() throws(UserError) -> [String: String] {
        guard let path else {
            throw UserError(
                "The probe, libhopscope-probe.so, is neither beside 'hopscope' nor in ../lib; 'make release' builds it.", .cannotStart)
        }
        let others = ProcessInfo.processInfo.environment["LD_PRELOAD"] ?? ""
        return ["LD_PRELOAD": others.isEmpty ? path : "\(path) \(others)"]
    }
}
