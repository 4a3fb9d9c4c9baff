import Foundation

/// Builds the programs that tests run, each once per test run. Any thread may call it.
package final class BuildFolder: Sendable {
    /// The command that builds a program failed.
    package struct NotMade: Error {
        package let command: [String]
    }

    private let lock = NSLock()

    package init() {}

    /// Returns the path of a program, which the command builds unless it exists already.
    package func program(_ name: String, _ command: (_ path: String) throws -> [String]) throws -> String {
        let path = ScratchFolder.ofTestRun.path(name)
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
