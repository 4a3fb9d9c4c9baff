import Foundation

/// A library that commands preload into the programs they start.
struct PreloadedLibrary {
    /// The name of its file.
    private let name: String
    /// The library's name at the beginning of a message.
    private let title: String
    /// Another file beside the command, which stands in for it.
    private var substitute: String?

    /// Reports a Swift program's tasks. Its substitute, which SwiftPM builds, works only for programs that link the runtime dynamically.
    static let probe = PreloadedLibrary(
        name: "libhopscope-probe.so", title: "The probe, libhopscope-probe.so,", substitute: "libHopscopeProbe.so")

    /// Chooses the order of a program's tasks.
    static let explore = PreloadedLibrary(name: "libhopscope-explore.so", title: "libhopscope-explore.so")

    /// The library's path: beside the command in a build, in `lib` beside `bin` in an installation. Nil if the file is missing, or if its
    /// path contains a space or a colon, which separate the entries of `LD_PRELOAD`.
    var path: String? {
        let command = URL(fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
        let folder = command.deletingLastPathComponent()
        let candidates: [URL?] = [
            folder.appendingPathComponent(name), folder.deletingLastPathComponent().appendingPathComponent("lib/\(name)"),
            substitute.map { folder.appendingPathComponent($0) },
        ]
        return candidates.compactMap { $0?.path }.first {
            FileManager.default.isReadableFile(atPath: $0) && !$0.contains(" ") && !$0.contains(":")
        }
    }

    var missing: UserError {
        UserError("\(title) is neither beside 'hopscope' nor in ../lib; 'make release' builds it.", .cannotStart)
    }

    /// The environment variable that preloads the library, ahead of any libraries that the user preloads.
    func environment() throws(UserError) -> [String: String] {
        guard let path else { throw missing }
        let others = ProcessInfo.processInfo.environment["LD_PRELOAD"] ?? ""
        return ["LD_PRELOAD": others.isEmpty ? path : "\(path) \(others)"]
    }
}
