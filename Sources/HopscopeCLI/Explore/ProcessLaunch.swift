import Foundation

/// How a process was started, so that another one can be started like it.
///
/// The command that the user gave may start several processes, and may let no second one of its kind run beside it, as SwiftPM does, which
/// locks a package.
struct ProcessLaunch {
    /// The path of the program, and its arguments.
    let command: [String]
    let environment: [String: String]
    let folder: String

    /// Nil if the process has ended, or if its program has been removed since.
    init?(of pid: pid_t) {
        let files = FileManager.default
        guard let program = try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe"), access(program, X_OK) == 0,
            let folder = try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd"),
            let arguments = Self.texts(in: "/proc/\(pid)/cmdline"), let variables = Self.texts(in: "/proc/\(pid)/environ")
        else { return nil }
        self.folder = folder
        command = [program] + arguments.dropFirst()
        environment = variables.reduce(into: [:]) { all, variable in
            let parts = variable.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { all[String(parts[0])] = String(parts[1]) }
        }
    }

    /// The texts of a file that end with a zero each.
    private static func texts(in path: String) -> [String]? {
        guard let bytes = FileManager.default.contents(atPath: path), !bytes.isEmpty else { return nil }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { String(decoding: $0, as: UTF8.self) }
    }
}
