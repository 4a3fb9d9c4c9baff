import Foundation
import InspectorUI
import TaskEvents

/// The source files of the inspected program on this machine, each read once until it changes.
final class SourceFiles: SourceReader {
    private struct Known {
        var modified: Double
        var lines: [String]
    }

    private let known = Guarded<[String: Known]>([:])
    /// The time at which the shown recording began, in nanoseconds since 1970. Nil for a program that runs.
    private let recordedAt: UInt64?

    private static let mostBytes = 4 << 20

    init(recordedAt: UInt64?) {
        self.recordedAt = recordedAt
    }

    func read(_ file: SourceFile) -> SourceText {
        guard let modified = Self.modified(file.path) else { return .missing }
        let old = known.withLock { $0[file.path] }
        guard let lines = old.flatMap({ $0.modified == modified ? $0.lines : nil }) ?? Self.lines(of: file.path) else { return .missing }
        known.withLock { $0[file.path] = Known(modified: modified, lines: lines) }
        let times = [Self.modified(file.module), recordedAt.map { Double($0) / 1e9 }].compactMap { $0 }
        return .lines(lines, isChanged: times.contains { modified > $0 })
    }

    /// The time of a file's last change, in seconds since 1970.
    private static func modified(_ path: String) -> Double? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    }

    private static func lines(of path: String) -> [String]? {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: mostBytes) else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    // MARK: The editor

    func edit(_ file: SourceFile, at line: Int) -> String? {
        guard Self.modified(file.path) != nil else { return "\(file.path) is not on this machine." }
        let environment = ProcessInfo.processInfo.environment
        let chosen = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
        let name = chosen.split(separator: " ").first?.split(separator: "/").last.map(String.init) ?? chosen
        // Editors of this family take no +LINE.
        let isOfCode = ["code", "codium", "cursor"].contains(name)
        let command = isOfCode ? "exec \(chosen) -g \"$0:$1\"" : "exec \(chosen) +\"$1\" \"$0\""
        switch Self.run(["/bin/sh", "-c", command, file.path, String(line)]) {
        case 0: return nil
        case 127: return "There is no editor '\(name)'. EDITOR in the environment names one."
        case let status: return "The editor '\(name)' ended with status \(status)."
        }
    }

    /// Runs a command on this terminal until it has ended. Returns its exit status.
    private static func run(_ arguments: [String]) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The inspector's threads block signals that the editor needs.
        var none = sigset_t()
        sigemptyset(&none)
        var usual = sigset_t()
        sigfillset(&usual)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        guard posix_spawn(&pid, arguments[0], nil, &attributes, &words, environ) == 0 else { return 127 }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 { if errno != EINTR { return 127 } }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
}
