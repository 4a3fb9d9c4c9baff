import Foundation

/// A library that commands preload into the programs they start.
struct PreloadedLibrary {
    let name: String

    /// Chooses the order of a program's tasks.
    static let explore = PreloadedLibrary(name: "libhopscope-explore.so")

    /// The library's path: beside the command in a build, in `lib` beside `bin` in an installation. Nil if the file is missing, or if its
    /// path contains a space or a colon, which separate the entries of `LD_PRELOAD`.
    var path: String? {
        let command = URL(fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
        let folder = command.deletingLastPathComponent()
        let candidates = [folder.appendingPathComponent(name), folder.deletingLastPathComponent().appendingPathComponent("lib/\(name)")]
        return candidates.map(\.path).first { FileManager.default.isReadableFile(atPath: $0) && !$0.contains(" ") && !$0.contains(":") }
    }

    /// The environment variable that preloads the library, ahead of any libraries that the user preloads.
    func environment() throws(UserError) -> [String: String] {
        guard let path else {
            throw UserError("\(name) is neither beside 'hopscope' nor in ../lib; 'make release' builds it.", .cannotStart)
        }
        let others = ProcessInfo.processInfo.environment["LD_PRELOAD"] ?? ""
        return ["LD_PRELOAD": others.isEmpty ? path : "\(path) \(others)"]
    }
}
