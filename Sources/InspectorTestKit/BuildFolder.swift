import Foundation

/// Builds the programs that tests run, each once, in a folder that is removed with the process. Any thread may call it.
package final class BuildFolder: Sendable {
    /// The command that builds a program failed.
    package struct NotMade: Error {
        package let command: [String]
    }

    private let scratch = try? ScratchFolder()
    private let lock = NSLock()

    package init() {}

    /// The path of a program. The first call builds it with `command`.
    package func program(_ name: String, _ command: (_ path: String) throws -> [String]) throws -> String {
        guard let path = scratch?.path(name) else { throw CocoaError(.fileWriteUnknown) }
        return try lock.withLock {
            if !FileManager.default.fileExists(atPath: path) { try make(command(path)) }
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
}
