import Foundation

/// Builds the programs that tests run, in a folder beside the test bundle. A program is built again only if its command or a file that
/// the command reads has changed. Several test processes may share the folder. Any thread may call it.
package final class BuildFolder: Sendable {
    /// The command that builds a program failed.
    package struct NotMade: Error {
        package let command: [String]

        package init(command: [String]) { self.command = command }
    }

    private let folder: URL
    /// The lock file excludes other processes, and this lock other threads.
    private let lock = NSLock()

    /// `name` tells the folders of several test targets apart.
    package init(_ name: String) {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        folder = URL(fileURLWithPath: bundle).resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("test-programs/\(name)")
    }

    /// Returns the path of a program. The command builds it at the path that it is given, which is another one in the same folder.
    package func program(_ name: String, _ command: (_ path: String) throws -> [String]) throws -> String {
        let path = folder.appendingPathComponent(name).path
        // Of the same name, because the compiler names the module after the file.
        let unfinished = folder.appendingPathComponent("unfinished/\(name)").path
        let record = "\(path).built-by"
        let command = try command(unfinished)
        return try lock.withLock {
            try FileManager.default.createDirectory(
                atPath: (unfinished as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            let descriptor = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            defer { close(descriptor) }
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            let origin = Self.origin(of: command)
            guard (try? String(contentsOfFile: record, encoding: .utf8)) != origin || access(path, F_OK) != 0 else { return path }
            try make(command)
            // A program may be running from the old file.
            guard rename(unfinished, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            try origin.write(toFile: record, atomically: true, encoding: .utf8)
            return path
        }
    }

    private func make(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NotMade(command: command) }
    }

    /// The words of a command, each with the time of its file, if it names one. Headers stand beside the sources that include them. The
    /// compiler's time stands for its version.
    private static func origin(of command: [String]) -> String {
        var lines = command.map { "\($0) \(time(of: $0))" }
        // In the order of their names: a set has another order in each process, and each would build the program again.
        let sources = command.filter { $0.hasSuffix(".c") || $0.hasSuffix(".swift") }
        let folders = Set(sources.map { ($0 as NSString).deletingLastPathComponent })
        for headers in folders.sorted().flatMap({ [$0, "\($0)/include"] }) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: headers)) ?? []
            lines += names.filter { $0.hasSuffix(".h") }.sorted().map { "\(headers)/\($0) \(time(of: "\(headers)/\($0)"))" }
        }
        return lines.joined(separator: "\n")
    }

    private static func time(of word: String) -> String {
        let search = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let paths = word.hasPrefix("/") ? [word] : word.contains("/") ? [] : search.split(separator: ":").map { "\($0)/\(word)" }
        var status = stat()
        guard paths.contains(where: { stat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFREG }) else { return "" }
        return "\(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }
}
